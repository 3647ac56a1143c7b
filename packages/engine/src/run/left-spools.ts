/**
 * Spools of scripts whose end is written, and which nobody removed: Reprise died between the two. What
 * still runs is left alone, and so is the spool of every script that a run has yet to hear of.
 */

import type { Engine } from "../engine.ts";
import { readRunState } from "./read-state.ts";
import { shellSpools, spoolOf } from "./work/shell.ts";

const maxStuck = 10_000;

export async function removeLeftSpools(engine: Engine): Promise<void> {
  const { launcher, store } = engine;
  // Listed before the runs are read: a script has a spool only after its start was written.
  const left = new Set(await launcher.spooled(shellSpools));
  if (left.size === 0) return;
  const stuck = await store.listRuns({ status: "stuck", limit: maxStuck });
  // What a stuck run started is there when it is tried again.
  for (const { id: run } of [...(await store.listActiveRuns()), ...stuck]) {
    const { state } = await readRunState(engine, run);
    for (const execution of state.active) {
      const { attempt = 1 } = state.executions.get(execution) ?? {};
      left.delete(spoolOf({ run, execution, attempt }));
    }
  }
  for (const turn of left) {
    const isRunning = (await launcher.state({ turn, attempt: 1 })) === "running";
    if (!isRunning) await launcher.remove(turn);
  }
}
