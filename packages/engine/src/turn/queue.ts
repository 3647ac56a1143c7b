/**
 * The queue for a session. Turns of one key run in order. The first waiting turn recovers what a dead
 * process left ahead of it, and runs turns that were queued and acknowledged.
 */

import { isDeepStrictEqual } from "node:util";
import { FencedError } from "@reprise/core/errors/errors";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import type { TurnWaiting, WaitingBehind } from "@reprise/core/session/waiting";
import { nextChange } from "../changes.ts";
import type { Engine } from "../engine.ts";
import { canSee, isStopped } from "../hosts.ts";
import { abandon, isServable, recover } from "./acquire.ts";
import { isFree } from "./ownership.ts";
import { type ClaimedTurn, type RunTurnOptions, runTurn } from "./run-turn.ts";

/** In milliseconds: the owner of the turn ahead may die without writing anything. */
const pause = { atLeast: 25, atMost: 100 };

export interface QueueOptions {
  readonly signal?: AbortSignal | undefined;
  /** Stops waiting; the turn stays in the queue without an owner. */
  readonly leave?: AbortSignal | undefined;
  readonly onWaiting?: ((waiting: WaitingBehind) => void) | undefined;
}

/** Waits until the turn owns the session; null if it was cancelled or left before. */
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
    if ("record" in claim) return claim;
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
    unseen: owner !== null && !canSee(owner),
    stopped: owner !== null && isStopped(owner),
  };
}

/** Waits while the turn ahead keeps its owner. Reads instead of claiming, because a claim blocks other writers. */
async function untilAheadMoves(
  engine: Engine,
  behind: Turn,
  own: string,
  signal: AbortSignal,
  report: Waiter["report"],
): Promise<void> {
  const { id, token } = behind;
  let ahead = behind;
  let { stopped } = waitingBehind(behind);
  for (let mark = 0; !signal.aborted; ) {
    const next = await nextChange(engine.store, mark, { ...pause, signal });
    if (next !== mark) {
      mark = next;
      if (!(await isOpen(engine, own))) return;
      const read = await engine.store.readTurn(id);
      if (read === null || !openStatuses.includes(read.status) || read.token !== token) return;
      ahead = read;
    }
    if (ahead.status === "waiting") continue;
    if (await isFree(engine, ahead)) return;
    const now = waitingBehind(ahead);
    if (now.stopped !== stopped) report(now);
    stopped = now.stopped;
  }
}

async function isOpen({ store }: Engine, id: string): Promise<boolean> {
  const turn = await store.readTurn(id);
  return turn !== null && openStatuses.includes(turn.status);
}

async function claimOnce(
  { store, owner, now }: Engine,
  { id }: Turn,
): Promise<ClaimedTurn | { readonly behind: Turn }> {
  const claim = await store.claimTurn({ turn: id, owner, at: now() });
  if (!claim.granted) return { behind: claim.behind };
  const { token, turn: record, agent, facts } = claim;
  return { turn: id, token, record, agent, facts };
}

/** Runs or recovers the turn ahead; false if its live owner does that. */
async function unblock(engine: Engine, behind: Turn, leave?: AbortSignal): Promise<boolean> {
  if (isServable(behind)) return runQueued(engine, behind, { leave });
  if (behind.status === "waiting") return false;
  if (!(await isFree(engine, behind))) return false;
  return unlessFenced(() => recover(engine, behind, { leave }));
}

/** Runs a queued turn; false if another process owns it or the session. */
export function runQueued(
  engine: Engine,
  turn: Turn,
  options: Pick<RunTurnOptions, "signal" | "leave" | "onProgress">,
): Promise<boolean> {
  return unlessFenced(async () => {
    const claim = await claimOnce(engine, turn);
    if (!("record" in claim)) return false;
    await runTurn(engine, claim, options);
    return true;
  });
}

/** A fencing error here concerns the turn ahead, not our own: another process has taken it. */
async function unlessFenced(action: () => Promise<boolean>): Promise<boolean> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof FencedError) return false;
    throw error;
  }
}

/** A shorter wait leaves no event, in milliseconds. */
const patience = 250;

interface WaitingLog {
  record(waiting: TurnWaiting): void;
  stop(): void;
}

/** Writes what a turn waits for into the event log, for clients of a server and everything else that reads it. */
function waitingLog(engine: Engine, { id, token }: Pick<Turn, "id" | "token">): WaitingLog {
  let latest: TurnWaiting | null = null;
  let timer: NodeJS.Timeout | undefined;
  const write = (waiting: TurnWaiting) =>
    // A turn that cannot record why it waits still waits: a full disk or another owner is reported elsewhere.
    engine.store.recordWaiting({ turn: id, token, waiting, at: engine.now() }).catch(() => {});
  return {
    record(waiting) {
      if (isDeepStrictEqual(waiting, latest)) return;
      latest = waiting;
      clearTimeout(timer);
      timer = setTimeout(write, patience, waiting);
    },
    stop: () => clearTimeout(timer),
  };
}
