/** The runs and the inbox of a home, as in the public API, and gates whose deadline has passed. */

import type { Reprise } from "@reprise/core/api/reprise";
import type { Store } from "@reprise/store/store";
import type { InboxItem } from "@reprise/workflow/inbox-item";
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
import { detailOf, runView } from "./run/views.ts";
import { watchRun } from "./run/watch-run.ts";
import type { Workers } from "./run/work/work.ts";
import { localWorkers } from "./run/work/workers.ts";

const defaultLimit = 50;

interface Runs extends Pick<Reprise, "runs" | "inbox"> {
  /** Releases every run that is driven here; their agents keep running. */
  leave(): Promise<void>;
}

export function openRuns(engine: Engine, workers: Workers = localWorkers): Runs {
  const driver: Driver = { engine, workers, driven: new Set() };
  let tidied: Promise<void> | null = null;
  /** Done once, before the first run is driven here; what cannot be removed may stay. */
  const tidy = () => (tidied ??= removeLeftSpools(engine).catch(() => {}));
  return {
    runs: {
      start: (start, options) => tidy().then(() => startRun(driver, start, options)),
      plan: (start, options) => planRun(engine, start, options),
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

// Expires gates whose deadline has passed. Every process that opens or serves the home does it; the run
// itself is not driven here.
// /

const batch = 200;
/** After this many failures a deadline is parked: it is retried once a day. */
const maxFailures = 5;
const firstPause = 5_000;
const day = 24 * 60 * 60 * 1000;

/**
 * A dead process's claim blocks others for up to a minute, so a deadline that is overdue for longer than
 * this could not be settled.
 */
const grace = 2 * 60_000;
const maxItems = 1000;

interface ParkedDeadline {
  readonly item: string;
  readonly error: string;
}

/** Returns the items whose deadline was parked by this call. */
export async function settleDeadlines({ store, owner, now }: Engine): Promise<ParkedDeadline[]> {
  const claimer = `${owner.host}:${owner.pid}:${owner.start}`;
  const parked: ParkedDeadline[] = [];
  for (;;) {
    const at = now();
    const claim = { owner: claimer, kind: "deadline", limit: batch };
    const due = await store.claimDue(claim);
    for (const { id, payload, failures } of due) {
      const { item } = payload as { item: string };
      const error = await store.expireItem({ item }).then(
        () => null,
        (failure) => String(failure),
      );
      const isParked = error !== null && failures + 1 >= maxFailures;
      if (isParked) parked.push({ item, error });
      const again = error === null ? null : at + (isParked ? day : firstPause * 2 ** failures);
      await store.settleDue({ id, owner: claimer, again });
    }
    if (due.length < batch) return parked;
  }
}

/** Open items whose deadline passed so long ago that settling it must have failed. */
export function unsettledItems({
  store,
  now,
}: { readonly store: Pick<Store, "listItems"> } & Pick<Engine, "now">): Promise<InboxItem[]> {
  return store.listItems({ overdueAt: now() - grace, limit: maxItems });
}
