/**
 * Standing in line for a session. Turns of one key are served in their order; whoever stands in line
 * first carries on what a dead process left ahead of it, and runs what was queued and acknowledged.
 */

import { setTimeout as delay } from "node:timers/promises";
import { FencedError } from "@reprise/core/errors/errors";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import type { WaitingBehind } from "@reprise/core/session/waiting";
import { isStopped, presence } from "@reprise/providers/launch/process";
import type { Engine } from "../engine.ts";
import type { ClaimedTurn } from "./claimed-turn.ts";
import { isFree } from "./ownership.ts";
import { abandon, isPromised, recover } from "./recover.ts";
import { runTurn } from "./run-turn.ts";
import { waitingLog } from "./waiting-log.ts";

/** How long to wait before looking again; a look reads one row and locks nothing. */
const pollInterval = 25;
/** At every so-manieth look also the own turn is looked at, since somebody may have cancelled it. */
const ownTurnPollEvery = 10;

export interface QueueOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives the place up to whoever comes next; the turn stays in line. */
  readonly leave?: AbortSignal | undefined;
  readonly onWaiting?: ((waiting: WaitingBehind) => void) | undefined;
}

/** Waits until the turn has the session; null when it was cancelled or left before. */
export async function waitForSession(
  engine: Engine,
  turn: Turn,
  { signal, leave, onWaiting }: QueueOptions,
): Promise<ClaimedTurn | null> {
  const over = AbortSignal.any([signal, leave].filter((each) => each !== undefined));
  const log = waitingLog(engine, turn);
  const report = (waiting: WaitingBehind) => {
    onWaiting?.(waiting);
    log.record(waiting);
  };
  try {
    return await claimInTurn(engine, turn, { signal, leave, over, report });
  } finally {
    log.stop();
  }
}

interface Waiter {
  readonly signal: AbortSignal | undefined;
  readonly leave: AbortSignal | undefined;
  /** Either of the two. */
  readonly over: AbortSignal;
  readonly report: (waiting: WaitingBehind) => void;
}

async function claimInTurn(
  engine: Engine,
  turn: Turn,
  { signal, leave, over, report }: Waiter,
): Promise<ClaimedTurn | null> {
  for (;;) {
    if (signal?.aborted) {
      await abandon(engine, turn, "cancelled", cancelledBy(signal));
      return null;
    }
    if (leave?.aborted) {
      await engine.store.takeOver({ turn: turn.id, token: turn.token, owner: null });
      return null;
    }
    const claim = await claimOnce(engine, turn);
    if (claim.granted) return { turn: turn.id, token: claim.token, record: claim.turn };
    report(waitingBehind(claim.behind));
    try {
      if (await unblock(engine, claim.behind, over)) continue;
    } catch (error) {
      if (!over.aborted) throw error;
    }
    await untilAheadMoves(engine, claim.behind, turn.id, over, report);
  }
}

function waitingBehind({ id, owner, startedAt, openedAt }: Turn): WaitingBehind {
  return {
    type: "waiting",
    behind: id,
    owner: owner && { pid: owner.pid, host: owner.host },
    since: startedAt ?? openedAt,
    unseen: owner !== null && presence(owner) === "unseen",
    stopped: owner !== null && isStopped(owner),
  };
}

/** Waits while the turn ahead is in the same hands; claiming again and again would keep others from writing. */
async function untilAheadMoves(
  engine: Engine,
  behind: Turn,
  own: string,
  signal: AbortSignal,
  report: Waiter["report"],
): Promise<void> {
  const { id, token } = behind;
  let { stopped } = waitingBehind(behind);
  for (let look = 1; !signal.aborted; look += 1) {
    await delay(pollInterval, undefined, { signal }).catch(() => {});
    if (look % ownTurnPollEvery === 0 && !(await isOpen(engine, own))) return;
    const ahead = await engine.store.readTurn(id);
    if (ahead === null || !openStatuses.includes(ahead.status) || ahead.token !== token) return;
    if (ahead.status === "waiting") continue;
    if (await isFree(engine, ahead)) return;
    if (look % ownTurnPollEvery !== 0) continue;
    const now = waitingBehind(ahead);
    if (now.stopped !== stopped) report(now);
    stopped = now.stopped;
  }
}

async function isOpen({ store }: Engine, id: string): Promise<boolean> {
  const turn = await store.readTurn(id);
  return turn !== null && openStatuses.includes(turn.status);
}

export function claimOnce(engine: Engine, turn: Turn) {
  return engine.store.claimTurn({ turn: turn.id, owner: engine.owner, at: engine.now() });
}

/** Moves a turn that stands in the way; false when its owner lives and does that itself. */
async function unblock(engine: Engine, behind: Turn, leave?: AbortSignal): Promise<boolean> {
  if (isPromised(behind)) return runQueued(engine, behind, leave);
  if (behind.status === "waiting") return false;
  if (!(await isFree(engine, behind))) return false;
  return unlessFenced(() => recover(engine, behind, leave));
}

/** Runs a turn in line that was promised; false when somebody else has it or the session. */
export function runQueued(engine: Engine, turn: Turn, leave?: AbortSignal): Promise<boolean> {
  return unlessFenced(async () => {
    const claim = await claimOnce(engine, turn);
    if (!claim.granted) return false;
    await runTurn(engine, { turn: turn.id, token: claim.token, record: claim.turn }, { leave });
    return true;
  });
}

/** Whoever is fenced while it carries on the turn of another has lost that one, not its own. */
async function unlessFenced(action: () => Promise<boolean>): Promise<boolean> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof FencedError) return false;
    throw error;
  }
}

/** Serves what stands in line and was promised anywhere in the home, until nothing is left that is free. */
export async function drain(engine: Engine, leave?: AbortSignal): Promise<void> {
  for (let served = true; served; ) {
    served = false;
    for (const turn of await engine.store.listOpenTurns()) {
      if (leave?.aborted) return;
      if (isPromised(turn)) served = (await runQueued(engine, turn, leave)) || served;
    }
  }
}
