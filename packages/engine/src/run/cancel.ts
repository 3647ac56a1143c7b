/** `cancel`: ends a run and its processes, whichever process owns it. */

import { parse } from "@reprise/core/api/parse";
import type { CancelRun, RunView } from "@reprise/core/api/reprise";
import { cancelRunSchema } from "@reprise/core/api/run-schemas";
import { nextChange } from "../changes.ts";
import { recordingFailure } from "../hosts.ts";
import { askToCancel } from "./ask-to-cancel.ts";
import { cancelUnrecorded } from "./cancel-mark.ts";
import { type Driver, take } from "./driver.ts";
import { endStuckRun } from "./end-stuck-run.ts";
import { findRun } from "./find-run.ts";
import { runView } from "./views.ts";

/** Milliseconds after which a run is looked at again even if nothing was written: its owner may have died. */
const ownerCheckInterval = 250;

export async function cancelRun(driver: Driver, input: CancelRun): Promise<RunView> {
  const { engine } = driver;
  const wanted = parse(cancelRunSchema(), input);
  const { id } = await findRun(engine, wanted.run);
  const by = wanted.by ?? null;
  await askToCancel(engine, id, by).catch(async (error) => {
    const failure = recordingFailure(error);
    throw failure ? await cancelUnrecorded(engine, id, by, failure) : error;
  });
  for (let mark = 0; ; ) {
    mark = await nextChange(engine.store, mark, { atMost: ownerCheckInterval });
    const run = await findRun(engine, id);
    if (run.endedAt !== null) return runView(driver, run);
    if (run.status === "stuck") {
      await endStuckRun(engine, id, by);
      continue;
    }
    // A dead owner may have left processes running: driving the run ends them.
    const driven = await take(driver, run);
    driven?.poll();
    await driven?.over;
  }
}
