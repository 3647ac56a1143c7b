/** How long something has been running, second by second. */

import { useNow } from "../hooks/use-now.ts";
import { duration } from "./time.ts";

export function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(1_000);
  return <span className="whitespace-nowrap">{duration(Math.max(0, now - since))}</span>;
}
