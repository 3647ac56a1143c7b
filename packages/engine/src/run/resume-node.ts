/** Tells a run that the agent of one of its nodes was answered, so that it goes on whoever lives. */

import { StoreError } from "@reprise/core/errors/errors";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { readRunState } from "./read-state.ts";
import { toStored } from "./stream.ts";

export async function resumeNode(
  engine: Engine,
  { id: turn, request }: Turn,
  by: string | null,
): Promise<void> {
  if (!request.origin) return;
  const { run, execution } = request.origin;
  const { state } = await readRunState(engine, run);
  const { attempt = 1 } = state.executions.get(execution) ?? {};
  await engine.store
    .signalRun({
      run,
      event: toStored({ type: "node.answered", execution, attempt, turn, by }),
      status: "running",
      ifStatus: ["running", "waiting"],
      at: engine.now(),
    })
    .catch((error) => {
      // The run has ended; the turn can be answered all the same.
      if (!(error instanceof StoreError && error.code === "conflict")) throw error;
    });
}
