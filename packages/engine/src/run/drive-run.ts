/** `continue` and `recover`: drive runs that have no owner, after a crash or an answer. */

import type { RunDetail, RunOptions, RunView, StartOptions } from "@reprise/core/api/reprise";
import type { Run } from "@reprise/store/contract/runs";
import { absentOwners } from "../hosts.ts";
import { activeRuns } from "./active-runs.ts";
import type { DrivenRun } from "./driven-run.ts";
import { type Driver, driveUntilIdle, mayTake, take, untilIdle } from "./driver.ts";
import { findRun } from "./find-run.ts";
import { detailOf, runDetail, runView } from "./views.ts";

export async function driveRun(
  driver: Driver,
  wanted: string,
  { onStarted, ...options }: RunOptions & StartOptions = {},
): Promise<RunDetail> {
  const { id } = await findRun(driver.engine, wanted);
  onStarted?.(id);
  const known = await driveUntilIdle(driver, id, options);
  return known ? runDetail(driver, known) : detailOf(driver, id);
}

interface Taken {
  readonly run: Run;
  readonly driven: DrivenRun;
}

/** How many runs are taken side by side: their trips to the store then overlap, and their writes share transactions. */
const takenTogether = 200;

/** Takes all runs before it waits for the first, so that a long run does not delay the others. */
export async function recoverRuns(driver: Driver, options: RunOptions = {}): Promise<RunView[]> {
  const taken: Taken[] = [];
  const isOver = () => options.leave?.aborted || options.signal?.aborted;
  let taking: Promise<Taken | null>[] = [];
  const finishTaking = async () => {
    for (const each of await Promise.all(taking)) if (each) taken.push(each);
    taking = [];
  };
  const leftBy = await absentOwners(driver.engine);
  for await (const run of activeRuns(driver.engine.store, { leftBy })) {
    if (isOver()) break;
    if (taking.push(takeIfFree(driver, run)) === takenTogether) await finishTaking();
  }
  await finishTaking();
  await Promise.all(
    taken.map(({ run, driven }) =>
      untilIdle(driver, driven, options).catch((error) => reportFailure(driver, run, error)),
    ),
  );
  return Promise.all(
    taken.map(async ({ run }) => runView(driver, await findRun(driver.engine, run.id))),
  );
}

/** A run that cannot be taken must not stop the others. */
async function takeIfFree(driver: Driver, run: Run): Promise<Taken | null> {
  try {
    const driven = (await mayTake(driver, run)) ? await take(driver, run) : null;
    return driven && { run, driven };
  } catch (error) {
    return reportFailure(driver, run, error);
  }
}

function reportFailure({ engine }: Driver, { id: run }: Run, error: unknown): null {
  const { stack = String(error) } = error as Partial<Error>;
  engine.report("a run cannot be continued", { run, error: stack });
  return null;
}
