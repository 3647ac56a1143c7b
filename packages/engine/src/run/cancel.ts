/** `cancel`: ends a run and its processes, whoever carries it. */

import { setTimeout as delay } from "node:timers/promises";
import { parse } from "@reprise/core/api/parse";
import type { CancelRun, RunView } from "@reprise/core/api/reprise";
import { cancelRunSchema } from "@reprise/core/api/run-schemas";
import { askToCancel } from "./ask-to-cancel.ts";
import { type Driver, take } from "./driver.ts";
import { findRun } from "./find-run.ts";
import { runView } from "./views.ts";

const pause = 50;

export async function cancelRun(driver: Driver, input: CancelRun): Promise<RunView> {
  const { engine } = driver;
  const wanted = parse(cancelRunSchema, input);
  const { id } = await findRun(engine, wanted.run);
  await askToCancel(engine, id, wanted.by ?? null);
  for (;;) {
    const run = await findRun(engine, id);
    if (run.endedAt !== null) return runView(driver, run);
    // Whoever is gone may have left processes: carrying the run on ends them.
    const carried = await take(driver, run);
    carried?.carrier.look();
    await (carried?.over ?? delay(pause));
  }
}
