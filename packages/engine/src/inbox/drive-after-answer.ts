/** Carries the run of an answered item on. */

import type { AnswerOptions, CarryOptions, RunView } from "@reprise/core/api/reprise";
import { type Driver, driveUntilIdle } from "../run/driver.ts";
import { findRun } from "../run/find-run.ts";
import { runView } from "../run/views.ts";

export type AnswerItemOptions = CarryOptions & AnswerOptions;

/** In this process, unless another one carries it, or nobody is asked to. */
export async function driveAfterAnswer(
  driver: Driver,
  id: string,
  { carry = true, ...options }: AnswerItemOptions,
): Promise<RunView> {
  const run = await findRun(driver.engine, id);
  if (carry && run.status === "running") await driveUntilIdle(driver, id, options);
  return runView(driver, await findRun(driver.engine, id));
}
