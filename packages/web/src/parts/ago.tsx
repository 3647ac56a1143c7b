/** How long ago, with the exact time for who asks. */

import { useNow } from "../hooks/use-now.ts";
import { ago, dateTime } from "./time.ts";

export function Ago({ at }: { readonly at: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={dateTime(at)} className="whitespace-nowrap">
      {ago(at, now)}
    </time>
  );
}
