/** Ends a run that cannot be advanced: finds its agents and scripts by its stored events. */

import { StoreError } from "@reprise/core/errors/errors";
import type { Engine } from "../engine.ts";
import { driveTurn, openTurns } from "../turn/acquire.ts";
import { fromStored, readStream, toStored } from "./stream.ts";
import { spoolOf } from "./work/shell.ts";

/** False if it is no longer stuck. */
export async function endStuckRun(
  engine: Engine,
  run: string,
  by: string | null,
): Promise<boolean> {
  await endWorkOf(engine, run);
  const { store, now } = engine;
  const signal = { run, ifStatus: ["stuck"], at: now() } as const;
  const end = { type: "run.ended", status: "cancelled", outputs: {}, error: null } as const;
  try {
    const asked = toStored({ type: "run.cancelling", by });
    await store.signalRun({ ...signal, event: asked, status: null });
    await store.signalRun({ ...signal, event: toStored(end), status: "cancelled" });
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === "conflict") return false;
    throw error;
  }
}

/** Ends the agents and scripts that a stuck run has started. */
export async function endWorkOf(engine: Engine, run: string): Promise<void> {
  const { store, launcher, settings } = engine;
  for await (const turn of openTurns(store, { run }))
    await driveTurn(engine, turn.id, { signal: AbortSignal.abort() });
  for (const spool of await openScripts(engine, run)) {
    const isRunning = (await launcher.state({ turn: spool, attempt: 1 })) === "running";
    if (isRunning) await launcher.end(spool, settings.endGrace);
    await launcher.remove(spool);
  }
}

/** Spools of scripts that were started and whose end is not recorded. */
async function openScripts({ store }: Engine, run: string): Promise<string[]> {
  const open = new Map<string, string>();
  for await (const stored of readStream(store, run)) {
    const event = fromStored(stored);
    if (event.type === "node.started" && event.boot !== undefined)
      open.set(event.execution, spoolOf({ run, ...event }));
    else if (event.type === "node.done" || event.type === "node.failed")
      open.delete(event.execution);
  }
  return [...open.values()];
}
