/** `driveRun` and `recover`: go on with what nobody carries, after a crash or once somebody answered. */

import type { CarryOptions, RunDetail, RunView, StartOptions } from "@reprise/core/api/reprise";
import type { Run } from "@reprise/store/store";
import type { DrivenRun } from "./driven-run.ts";
import { type Driver, driveUntilIdle, mayTake, take, untilIdle } from "./driver.ts";
import { findRun } from "./find-run.ts";
import { detailOf, runDetail, runView } from "./views.ts";

export async function driveRun(
  driver: Driver,
  wanted: string,
  { onStarted, ...options }: CarryOptions & StartOptions = {},
): Promise<RunDetail> {
  const { id } = await findRun(driver.engine, wanted);
  onStarted?.(id);
  const known = await driveUntilIdle(driver, id, options);
  return known ? runDetail(driver, known) : detailOf(driver, id);
}

/** All of them are taken before the first is waited for: a long one keeps no other from going on. */
export async function recoverRuns(driver: Driver, options: CarryOptions = {}): Promise<RunView[]> {
  const taken: { run: Run; driven: DrivenRun }[] = [];
  for (const run of await driver.engine.store.listActiveRuns()) {
    if (options.leave?.aborted || options.signal?.aborted) break;
    if (!(await mayTake(driver, run))) continue;
    // One that cannot be taken must not keep the others from continuing.
    const tell = (error: unknown) => reportFailure(driver, run, error);
    const driven = await take(driver, run).catch(tell);
    if (driven) taken.push({ run, driven });
  }
  await Promise.all(
    taken.map(({ run, driven }) =>
      untilIdle(driver, driven, options).catch((error) => reportFailure(driver, run, error)),
    ),
  );
  return Promise.all(
    taken.map(async ({ run }) => runView(driver, await findRun(driver.engine, run.id))),
  );
}

function reportFailure({ engine }: Driver, { id: run }: Run, error: unknown): null {
  const { stack = String(error) } = error as Partial<Error>;
  engine.report("a run cannot be carried on", { run, error: stack });
  return null;
}
