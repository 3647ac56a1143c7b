/**
 * The runs and the inbox of a home, and gates whose deadline has passed. Most commands need no run and no item, so their
 * code is loaded when one is first used.
 */

import { once } from "@reprise/core/api/parse";
import type { Store } from "@reprise/store/store";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Engine } from "./engine.ts";
import type { Runs } from "./open-runs.ts";

export function lazyRuns(engine: Engine): Runs {
  let isUsed = false;
  const opened = once(async () => {
    isUsed = true;
    return (await import("./open-runs.ts")).openRuns(engine);
  });
  const runs = async () => (await opened()).runs;
  const inbox = async () => (await opened()).inbox;
  return {
    runs: {
      start: async (start, options) => (await runs()).start(start, options),
      plan: async (start, options) => (await runs()).plan(start, options),
      validate: async (workflow) => (await runs()).validate(workflow),
      list: async (query) => (await runs()).list(query),
      count: async (query) => (await runs()).count(query),
      show: async (run) => (await runs()).show(run),
      async *events(run, options) {
        yield* (await runs()).events(run, options);
      },
      cancel: async (cancel) => (await runs()).cancel(cancel),
      rerun: async (rerun, options) => (await runs()).rerun(rerun, options),
      continue: async (run, options) => (await runs()).continue(run, options),
      carryOn: async (run, options) => (await runs()).carryOn(run, options),
      recover: async (options) => (await runs()).recover(options),
    },
    inbox: {
      list: async (query) => (await inbox()).list(query),
      count: async (query) => (await inbox()).count(query),
      show: async (item) => (await inbox()).show(item),
      answer: async (answer, options) => (await inbox()).answer(answer, options),
    },
    async leave() {
      if (isUsed) await (await opened()).leave();
    },
  };
}

// Expires gates whose deadline has passed. Every process that opens or serves the home does it; the run itself is not
// driven here.

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
