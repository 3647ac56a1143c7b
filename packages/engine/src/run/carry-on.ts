/** `carryOn` and `recover`: go on with what nobody carries, after a crash or once somebody answered. */

import type { CarryOptions, RunDetail, RunView, StartOptions } from "@reprise/core/api/reprise";
import type { Run } from "@reprise/store/store";
import { type Carried, carryToRest, type Driver, mayTake, rest, take } from "./driver.ts";
import { findRun } from "./find-run.ts";
import { readRunState } from "./read-state.ts";
import { runDetail, runView } from "./views.ts";

export async function carryOn(
  driver: Driver,
  wanted: string,
  { onStarted, ...options }: CarryOptions & StartOptions = {},
): Promise<RunDetail> {
  const { id } = await findRun(driver.engine, wanted);
  onStarted?.(id);
  const known = await carryToRest(driver, id, options);
  return runDetail(driver, known ?? (await readRunState(driver.engine, id)));
}

/** All of them are taken before the first is waited for: a long one keeps no other from going on. */
export async function recoverRuns(driver: Driver, options: CarryOptions = {}): Promise<RunView[]> {
  const taken: { run: Run; carried: Carried }[] = [];
  for (const run of await driver.engine.store.listCarriedRuns()) {
    if (options.leave?.aborted || options.signal?.aborted) break;
    if (!(await mayTake(driver, run))) continue;
    // One that can not be read must not keep the others from going on.
    const carried = await take(driver, run).catch(() => null);
    if (carried) taken.push({ run, carried });
  }
  await Promise.allSettled(taken.map(({ carried }) => rest(driver, carried, options)));
  return Promise.all(
    taken.map(async ({ run }) => runView(driver, await findRun(driver.engine, run.id))),
  );
}
