/** How the verbs of runs run: what they read or write, and how durable it is. */

import type { RunStore } from "../../contract/runs.ts";
import type { Transactions } from "../transactions.ts";
import { advanceRun } from "./advance-run.ts";
import { createRun } from "./create-run.ts";
import { countRuns, findRuns, listActiveRuns, listRuns, readRun } from "./read-runs.ts";
import { recordRunFailure } from "./record-run-failure.ts";
import { signalRun } from "./signal-run.ts";
import { takeRun } from "./take-run.ts";

export const runStore = ({
  read,
  write,
  writeBuffered,
  writeTogether,
  writeTogetherBuffered,
}: Transactions): RunStore => ({
  createRun: writeTogether(createRun),
  readRun: read(readRun),
  findRuns: read(findRuns),
  listRuns: read(listRuns),
  countRuns: read(countRuns),
  listActiveRuns: read(listActiveRuns),
  takeRun: writeBuffered(takeRun),
  advanceRun: writeTogether(advanceRun),
  advanceRunBuffered: writeTogetherBuffered(advanceRun),
  recordRunFailure: write(recordRunFailure),
  signalRun: write(signalRun),
});
