/** How long ago, with the exact time as its title. */

import { useClock } from "../hooks/use-clock.ts";
import { ago, dateTime } from "./time.ts";

export function Ago({ at }: { readonly at: number }) {
  const text = useClock((now) => ago(at, now));
  return (
    <time dateTime={new Date(at).toISOString()} title={dateTime(at)} className="whitespace-nowrap">
      {text}
    </time>
  );
}
