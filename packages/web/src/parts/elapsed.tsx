/** How long something has been running, second by second. */

import { useClock } from "../hooks/use-clock.ts";
import { duration } from "./time.ts";

export function Elapsed({ since }: { readonly since: number }) {
  const text = useClock((now) => duration(Math.max(1_000, now - since)));
  return <span className="whitespace-nowrap">{text}</span>;
}
