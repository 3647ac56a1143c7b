/** Starts work and waits for a while. If it is not done by then, it continues, and its state is returned. */

import { z } from "zod";
import type { ToolCall } from "./tool.ts";

/** Many clients give a tool a minute. */
const defaultWait = 50;
const maxWait = 3600;

export const waitSchema = z
  .number()
  .min(0)
  .max(maxWait)
  .default(defaultWait)
  .describe(
    `Seconds to wait for the end, ${defaultWait} by default; 0 starts it and returns at once.`,
  );

export interface Beginning {
  /** Aborts when the server stops; the work continues. */
  readonly leave: AbortSignal;
  /** To be called with the id of the work as soon as there is one. */
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
  // After the wait, its end is in the store.
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
