/**
 * The background work of a server: it continues runs and turns without an owner, runs queued turns, settles deadlines,
 * delivers webhooks, prunes sessions, and keeps those that Reprise did not start. All of this work is in the store, so the next poll retries what failed.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Reprise } from "@reprise/core/api/reprise";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "@reprise/engine/engine";
import { settleDeadlines } from "@reprise/engine/runs";
import { isServable, leftTurns, recover } from "@reprise/engine/turn/acquire";
import { isFree } from "@reprise/engine/turn/ownership";
import { runQueued } from "@reprise/engine/turn/queue";
import type { InFlight } from "./in-flight.ts";
import type { Log } from "./log.ts";
import { Webhooks } from "./webhook/webhooks.ts";

export interface BackgroundOptions {
  readonly engine: Engine;
  readonly reprise: Reprise;
  readonly work: InFlight;
  readonly log: Log;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** How many files one call of a scan reads: between two calls, the server can stop. */
const filesAtOnce = 500;
/** A dead process writes no event, so every Nth poll scans everything. */
const fullScanEvery = 5;

/** Resolves when the server stops. */
export async function runBackgroundLoops(options: BackgroundOptions): Promise<void> {
  const { work, log } = options;
  const turns = new Turns(options);
  const webhooks = new Webhooks(options);
  const loops = [
    repeat(options, "look", second, looker(options, turns)),
    repeat(options, "deadlines", second, () => deadlines(options)),
    repeat(options, "webhooks", second, () => webhooks.look()),
    repeat(options, "prune", hour, () => prune(options)),
    repeat(options, "protect", minute, () => protect(options)),
  ];
  await Promise.all(loops);
  log("debug", "all loops have ended", { work: work.size });
}

/** A failure is logged, and tried again at the next poll. */
async function repeat(
  { work, log }: BackgroundOptions,
  name: string,
  pause: number,
  act: () => Promise<void>,
): Promise<void> {
  const { stopping } = work;
  while (!stopping.aborted) {
    await act().catch((error) => {
      if (!stopping.aborted)
        log("error", `${name} failed`, { error: String(error?.stack ?? error) });
    });
    await delay(pause, undefined, { signal: stopping }).catch(() => {});
  }
}

function looker({ engine, reprise, work, log }: BackgroundOptions, turns: Turns) {
  let seen = -1;
  let looks = 0;
  return async () => {
    const last = await engine.store.lastEvent();
    if (last === seen && looks++ % fullScanEvery !== 0) return;
    seen = last;
    await turns.look();
    // Not awaited, so that a long run does not delay others.
    work
      .do((leave) => reprise.runs.recover({ leave }))
      .then((runs) => {
        for (const { id, status } of runs) log("info", "run continued", { run: id, status });
      })
      .catch((error) => {
        if (!work.stopping.aborted)
          log("error", "runs cannot be continued", { error: String(error) });
      });
  };
}

/** Continues turns whose process is gone, and runs queued turns; never the same turn twice at once. */
class Turns {
  readonly #options: BackgroundOptions;
  readonly #inHand = new Set<string>();

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { engine } = this.#options;
    for await (const turn of leftTurns(engine, { heads: true })) {
      if (this.#inHand.has(turn.id)) continue;
      if (isServable(turn)) this.#take(turn, (leave) => runQueued(engine, turn, { leave }));
      else if (!(await isFree(engine, turn))) continue;
      // The turn of a run is continued by its run.
      else if (!turn.request.origin) this.#take(turn, (leave) => recover(engine, turn, { leave }));
    }
  }

  #take(turn: Turn, carry: (leave: AbortSignal) => Promise<boolean>): void {
    const { work, log } = this.#options;
    this.#inHand.add(turn.id);
    work
      .do(carry)
      .then((moved) => {
        if (moved) log("info", "turn continued", { turn: turn.id, key: turn.request.key });
      })
      .catch((error) => {
        if (!work.stopping.aborted)
          log("error", "a turn cannot be continued", { turn: turn.id, error: String(error) });
      })
      .finally(() => this.#inHand.delete(turn.id));
  }
}

async function deadlines({ engine, log }: BackgroundOptions): Promise<void> {
  for (const parked of await settleDeadlines(engine))
    log("error", "a deadline cannot be settled; it is retried once a day", { ...parked });
}

async function prune({ reprise, log }: BackgroundOptions): Promise<void> {
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

/** Scans if that is on and due. */
async function protect({ engine, reprise, work, log }: BackgroundOptions): Promise<void> {
  const { onAt, scannedAt } = await engine.store.readProtection(engine.home.hostId);
  if (onAt === null) return;
  if (scannedAt !== null && engine.now() - scannedAt < engine.settings["protect.every"]) return;
  for (let isLeft = true; isLeft && !work.stopping.aborted; ) {
    const report = await reprise.protect.scan({ limit: filesAtOnce });
    const { remaining, filesRead, added, changed, gone, unread } = report;
    // Files that cannot be read stay among the remaining ones.
    isLeft = remaining > 0 && filesRead > 0;
    if (added + changed + gone + unread.length > 0)
      log(unread.length > 0 ? "warn" : "info", "sessions kept", { added, changed, gone, unread });
  }
}
