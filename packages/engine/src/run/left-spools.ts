/**
 * Removes spools of scripts whose end is recorded, left behind because Reprise died before it removed them.
 * Spools of running scripts, and of scripts whose end is not recorded yet, are kept.
 */

import type { Engine } from "../engine.ts";
import { activeRuns } from "./active-runs.ts";
import { readRunState } from "./read-state.ts";
import { shellSpools, spoolOf } from "./work/shell.ts";

const maxStuck = 10_000;

export async function removeLeftSpools(engine: Engine): Promise<void> {
  const { launcher, store } = engine;
  // Listed before the runs are read: a script gets its spool after its start is recorded.
  const left = new Set(await launcher.spooled(shellSpools));
  if (left.size === 0) return;
  const stuck = await store.listRuns({ status: "stuck", limit: maxStuck });
  // A stuck run needs its spools when it is retried.
  const runs = stuck.map(({ id }) => id);
  for await (const { id } of activeRuns(store)) runs.push(id);
  for (const run of runs) {
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
