/** The runs and the inbox of a home, as in the public API. */

import type { Reprise } from "@reprise/core/api/reprise";
import type { Engine } from "./engine.ts";
import { answerItem } from "./inbox/answer.ts";
import { countInbox, listInbox } from "./inbox/list.ts";
import { showItem } from "./inbox/resumability.ts";
import { cancelRun } from "./run/cancel.ts";
import { driveRun, recoverRuns } from "./run/drive-run.ts";
import type { Driver } from "./run/driver.ts";
import { findRun } from "./run/find-run.ts";
import { removeLeftSpools } from "./run/left-spools.ts";
import { planRun } from "./run/plan.ts";
import { rerun } from "./run/rerun.ts";
import { startRun } from "./run/start.ts";
import { validateWorkflow } from "./run/validate-workflow.ts";
import { detailOf, runView } from "./run/views.ts";
import { watchRun } from "./run/watch-run.ts";
import { localWorkers } from "./run/work/workers.ts";

const defaultLimit = 50;

export interface Runs extends Pick<Reprise, "runs" | "inbox"> {
  /** Releases every run that is driven here; their agents keep running. */
  leave(): Promise<void>;
}

export function openRuns(engine: Engine): Runs {
  const driver: Driver = { engine, workers: localWorkers, driven: new Set() };
  let tidied: Promise<void> | null = null;
  /** Done once, before the first run is driven here; what cannot be removed may stay. */
  const tidy = () => (tidied ??= removeLeftSpools(engine).catch(() => {}));
  return {
    runs: {
      start: (start, options) => tidy().then(() => startRun(driver, start, options)),
      plan: (start, options) => planRun(engine, start, options),
      validate: (workflow) => validateWorkflow(engine, workflow),
      async list({ limit = defaultLimit, after, ...query } = {}) {
        const before = after === undefined ? {} : { before: await findRun(engine, after) };
        const runs = await engine.store.listRuns({ ...query, ...before, limit });
        return runs.map((run) => runView(driver, run));
      },
      count: (query = {}) => engine.store.countRuns(query),
      async show(run) {
        const { id } = await findRun(engine, run);
        return detailOf(driver, id);
      },
      events: (run, options) => watchRun(engine, run, options),
      cancel: (cancel) => cancelRun(driver, cancel),
      rerun: (input, options) => tidy().then(() => rerun(driver, input, options)),
      continue: (run, options) => tidy().then(() => driveRun(driver, run, options)),
      carryOn: (run, options) => tidy().then(() => driveRun(driver, run, options)),
      recover: (options) => tidy().then(() => recoverRuns(driver, options)),
    },
    inbox: {
      list: (query) => listInbox(engine, query),
      count: (query) => countInbox(engine, query),
      show: (item) => showItem(engine, item),
      answer: (answer, options) => answerItem(driver, answer, options),
    },
    async leave() {
      const driven = [...driver.driven];
      for (const run of driven) run.leave();
      await Promise.allSettled(driven.map(({ over }) => over));
    },
  };
}
