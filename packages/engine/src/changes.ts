/** Waits for commits in the store instead of reading its tables again and again. */

import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "@reprise/store/store";

export interface ChangePause {
  /** Returns after this many milliseconds even if nothing was committed. */
  readonly atMost?: number;
  /** Commits that follow each other faster than this, in milliseconds, are waited for together. */
  readonly atLeast?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for a commit after `mark` and returns the new mark; the same mark if there was none. */
export async function nextChange(
  store: Pick<Store, "changes">,
  mark: number,
  { atMost, atLeast, signal }: ChangePause = {},
): Promise<number> {
  const over = AbortSignal.any([
    ...(signal ? [signal] : []),
    ...(atMost === undefined ? [] : [AbortSignal.timeout(atMost)]),
  ]);
  if (atLeast !== undefined) await delay(atLeast, undefined, { signal: over }).catch(() => {});
  return over.aborted ? mark : store.changes(mark, over);
}
