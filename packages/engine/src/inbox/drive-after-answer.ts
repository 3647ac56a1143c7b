/** Drives the run of an answered item. */

import type { AnswerOptions, RunOptions, RunView } from "@reprise/core/api/reprise";
import { type Driver, driveUntilIdle } from "../run/driver.ts";
import { findRun } from "../run/find-run.ts";
import { runView } from "../run/views.ts";

export type AnswerItemOptions = RunOptions & AnswerOptions;

/** In this process, unless another process owns the run or the caller does not want it. */
export async function driveAfterAnswer(
  driver: Driver,
  id: string,
  { carry = true, continue: drives = carry, ...options }: AnswerItemOptions,
): Promise<RunView> {
  const run = await findRun(driver.engine, id);
  if (drives && run.status === "running") await driveUntilIdle(driver, id, options);
  return runView(driver, await findRun(driver.engine, id));
}
