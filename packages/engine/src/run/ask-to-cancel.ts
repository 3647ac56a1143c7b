/** Records that a run is to be cancelled; its owner then cancels it. */

import { StoreError } from "@reprise/core/errors/errors";
import type { Engine } from "../engine.ts";
import { toStored } from "./stream.ts";

/** False if the run has ended. */
export async function askToCancel(
  { store, now }: Engine,
  run: string,
  by: string | null,
): Promise<boolean> {
  try {
    await store.signalRun({
      run,
      event: toStored({ type: "run.cancelling", by }),
      status: null,
      ifStatus: ["running", "waiting"],
      at: now(),
    });
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === "conflict") return false;
    throw error;
  }
}
