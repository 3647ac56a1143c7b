/** Who did something, as events record it. */

import { StoreError } from "@reprise/core/errors/errors";
import type { NewEvent } from "@reprise/store/contract/events";
import type { Engine } from "./engine.ts";
import { userName } from "./user-name.ts";

/** `by` if the caller gave it; otherwise the turn in which this process was started, or the user. */
export function actor(
  { within, env }: Pick<Engine, "within" | "env">,
  by: string | null | undefined,
): string {
  return by ?? (within === null ? userName(env) : `turn:${within}`);
}

const unwritable = ["store-full", "store-io", "store-not-writable"];

/**
 * Records an action that changed nothing in the store, like a backup. If the home cannot be written, the action
 * is not recorded and does not fail: that is when a backup is needed most.
 */
export async function recordAction(
  { home, store, now, report }: Pick<Engine, "home" | "store" | "now" | "report">,
  stream: string,
  event: NewEvent,
): Promise<void> {
  // Its store is a temporary copy.
  if (home.isReadOnly) return;
  try {
    await store.recordEvent({ stream, event, at: now() });
  } catch (error) {
    if (!(error instanceof StoreError && unwritable.includes(error.code))) throw error;
    report("an event could not be recorded", { stream, event, error: error.message });
  }
}
