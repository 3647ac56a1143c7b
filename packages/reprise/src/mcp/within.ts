/** Begins work and waits for it a while; what is not done by then goes on, and is shown as it is. */

import { z } from "zod";
import type { ToolCall } from "./tool.ts";

/** Many clients give a tool a minute. */
const usualWait = 50;
const longestWait = 3600;

export const waitSchema = z
  .number()
  .min(0)
  .max(longestWait)
  .default(usualWait)
  .describe(
    `Seconds to wait for the end, ${usualWait} unless you say otherwise; 0 begins it and comes back at once.`,
  );

export interface Beginning {
  /** Stops waiting for it here, when the server stops; the work goes on. */
  readonly leave: AbortSignal;
  /** To be called with the id under which it can be found, as soon as there is one. */
  readonly accept: (id: string) => void;
}

export async function within<Result>(
  { work, signal }: Pick<ToolCall, "work" | "signal">,
  seconds: number,
  begin: (beginning: Beginning) => Promise<Result>,
  show: (id: string) => Promise<Result>,
): Promise<Result> {
  const accepted = Promise.withResolvers<string>();
  const done = work.do((leave) => begin({ leave, accept: accepted.resolve }));
  // When nobody waits any more, its end is in the records.
  done.catch(() => {});
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, seconds * 1000);
  const stop = () => patience.resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const shown = patience.promise.then(() => accepted.promise).then(show);
    shown.catch(() => {});
    return await Promise.race([done, shown]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
