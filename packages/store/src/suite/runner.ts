/**
 * The test runner of the suite. It is passed in, so that a program that tests a store of its own uses its own runner,
 * and the published package needs none.
 */

import type * as vitest from "vitest";
import type { StoreTestRunner } from "./store-test-runner.ts";

export let describe: typeof vitest.describe;
export let expect: typeof vitest.expect;
export let test: typeof vitest.test;
export let onTestFinished: (cleanup: () => Promise<void>) => void;

export function setRunner(runner: StoreTestRunner): void {
  const given = runner as unknown as typeof vitest;
  describe = given.describe;
  expect = given.expect;
  test = given.test;
  onTestFinished = (cleanup) => given.onTestFinished(cleanup);
}
