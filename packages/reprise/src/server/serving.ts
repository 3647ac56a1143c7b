/**
 * What a server does without being asked: it goes on with runs and turns that nobody carries, serves
 * what is queued, settles what is due, and prunes by the retention settings. All of it is in the store,
 * so whatever fails is found again by the next look.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Reprise } from "@reprise/core/api/reprise";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "@reprise/engine/engine";
import { settleDeadlines } from "@reprise/engine/run/deadlines";
import { isFree } from "@reprise/engine/turn/ownership";
import { runQueued } from "@reprise/engine/turn/queue";
import { isServable, recover } from "@reprise/engine/turn/recover";
import type { Log } from "./log.ts";
import type { UnderWay } from "./under-way.ts";
import { Webhooks } from "./webhook/webhooks.ts";

export interface ServingOptions {
  readonly engine: Engine;
  readonly reprise: Reprise;
  readonly work: UnderWay;
  readonly log: Log;
}

const second = 1000;
const hour = 60 * 60 * second;
/** A process that dies writes no event: at every so-manieth look the turns and runs are looked at all the same. */
const looksForAll = 5;

/** Ends when all work is to be let go. */
export async function startServing(options: ServingOptions): Promise<void> {
  const { work, log } = options;
  const turns = new Turns(options);
  const webhooks = new Webhooks(options);
  const loops = [
    repeat(options, "look", second, looker(options, turns)),
    repeat(options, "deadlines", second, () => deadlines(options)),
    repeat(options, "webhooks", second, () => webhooks.look()),
    repeat(options, "prune", hour, () => prune(options)),
  ];
  await Promise.all(loops);
  log("debug", "all loops have ended", { work: work.size });
}

/** What goes wrong is logged, and tried again at the next look. */
async function repeat(
  { work, log }: ServingOptions,
  name: string,
  pause: number,
  act: () => Promise<void>,
): Promise<void> {
  const { left } = work;
  while (!left.aborted) {
    await act().catch((error) => {
      if (!left.aborted) log("error", `${name} failed`, { error: String(error?.stack ?? error) });
    });
    await delay(pause, undefined, { signal: left }).catch(() => {});
  }
}

function looker({ engine, reprise, work, log }: ServingOptions, turns: Turns) {
  let seen = -1;
  let looks = 0;
  return async () => {
    const last = await engine.store.lastEvent();
    if (last === seen && looks++ % looksForAll !== 0) return;
    seen = last;
    await turns.look();
    // Not waited for: a long run keeps no other from going on.
    work
      .do((leave) => reprise.runs.recover({ leave }))
      .then((runs) => {
        for (const { id, status } of runs) log("info", "run carried on", { run: id, status });
      })
      .catch((error) => {
        if (!work.left.aborted)
          log("error", "runs can not be carried on", { error: String(error) });
      });
  };
}

/** Turns that nobody lives for, and those in line that were promised; each in one pair of hands. */
class Turns {
  readonly #options: ServingOptions;
  readonly #inHand = new Set<string>();

  constructor(options: ServingOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { engine } = this.#options;
    const keys = new Set<string>();
    for (const turn of await engine.store.listOpenTurns()) {
      const { key, origin } = turn.request;
      const isFirst = !keys.has(key);
      keys.add(key);
      if (!isFirst || turn.status === "waiting" || this.#inHand.has(turn.id)) continue;
      if (isServable(turn)) this.#take(turn, (leave) => runQueued(engine, turn, leave));
      else if (!(await isFree(engine, turn))) continue;
      // What a run's turn has yet to do is left to its run.
      else if (!origin) this.#take(turn, (leave) => recover(engine, turn, leave));
    }
  }

  #take(turn: Turn, carry: (leave: AbortSignal) => Promise<boolean>): void {
    const { work, log } = this.#options;
    this.#inHand.add(turn.id);
    work
      .do(carry)
      .then((moved) => {
        if (moved) log("info", "turn carried on", { turn: turn.id, key: turn.request.key });
      })
      .catch((error) => {
        if (!work.left.aborted)
          log("error", "a turn can not be carried on", { turn: turn.id, error: String(error) });
      })
      .finally(() => this.#inHand.delete(turn.id));
  }
}

async function deadlines({ engine, log }: ServingOptions): Promise<void> {
  for (const parked of await settleDeadlines(engine))
    log("error", "a deadline can not be settled; it is tried once a day", { ...parked });
}

async function prune({ reprise, log }: ServingOptions): Promise<void> {
  const { enforced, steps, skipped } = await reprise.sessions.prune();
  if (steps.length + skipped.length === 0) return;
  log(
    enforced ? "info" : "warn",
    enforced ? "pruned" : "would prune; the setting prune.mode is warn",
    {
      steps: steps.map(({ key, action, reason }) => ({ key, action, reason })),
      skipped: skipped.length,
    },
  );
}
