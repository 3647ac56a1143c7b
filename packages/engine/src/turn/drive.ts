/** Brings a turn to its end, in whatever state it is found and whoever had it before. */

import { setTimeout as delay } from "node:timers/promises";
import { FencedError } from "@reprise/core/errors/errors";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import { isSame, isStopped } from "@reprise/providers/launch/process";
import type { Engine } from "../engine.ts";
import { isFree } from "./ownership.ts";
import { waitForSession } from "./queue.ts";
import { abandon } from "./recover.ts";
import { type RunTurnOptions, runTurn } from "./run-turn.ts";

/** How long to wait before looking again at a turn that somebody else carries. */
const pollInterval = 50;
/** At every look of this number a caller who cancels checks that the end can be recorded at all. */
const diskCheckEvery = 20;

export type DriveTurnOptions = Pick<RunTurnOptions, "signal" | "leave" | "onProgress">;

/**
 * A turn that nobody lives for is taken over as by its own caller: what was never started is started
 * now, what runs is adopted, and what has ended is settled. One in other hands is waited for. Comes back
 * with the turn when it has ended, waits for an answer, or was left; null when there is none.
 */
export async function driveTurn(
  engine: Engine,
  id: string,
  options: DriveTurnOptions = {},
): Promise<Turn | null> {
  for (let look = 1; ; look += 1) {
    const turn = await engine.store.readTurn(id);
    if (turn === null || !openStatuses.includes(turn.status)) return turn;
    if (turn.status === "waiting" && !options.signal?.aborted) return turn;
    if (options.leave?.aborted) return turn;
    // Its owner may be unable to record the end: then the caller hears why, and does not wait for ever.
    if (options.signal?.aborted && look % diskCheckEvery === 0) await engine.store.checkWritable();
    try {
      await driveOnce(engine, turn, options);
    } catch (error) {
      // Somebody else was quicker: look again at what became of it.
      if (!(error instanceof FencedError) && !options.leave?.aborted) throw error;
    }
  }
}

async function driveOnce(engine: Engine, turn: Turn, options: DriveTurnOptions): Promise<void> {
  const { signal, leave, onProgress } = options;
  const { id, owner, status } = turn;
  if (status === "waiting") return abandon(engine, turn, "cancelled", cancelledBy(signal));
  const ours = owner !== null && isSame(owner, engine.owner);
  if (status === "queued" && ours) {
    const claimed = await waitForSession(engine, turn, {
      signal,
      leave,
      onWaiting: onProgress,
    });
    if (claimed) await runTurn(engine, claimed, options);
    return;
  }
  // A living owner, be it another call in this process, brings it to its end itself.
  if (!(await isFree(engine, turn))) return lookAtOwner(engine, turn, options);
  // Before anything is written: a full disk keeps no agent running that shall be cancelled.
  if (signal?.aborted && status === "running")
    await engine.launcher.cancel(id, engine.settings.endGrace, cancelledBy(signal));
  const token = await engine.store.takeOver({ turn: id, token: turn.token, owner: engine.owner });
  if (token === null || status === "queued") return;
  const record = { ...turn, owner: engine.owner, token };
  await runTurn(engine, { turn: id, token, record }, options);
}

/** Waits a moment for the turn of another; a cancel ends what runs of it, and its owner settles that. */
async function lookAtOwner(engine: Engine, turn: Turn, options: DriveTurnOptions): Promise<void> {
  const { signal, leave } = options;
  if (signal?.aborted) {
    const by = cancelledBy(signal);
    if (turn.status === "queued") return abandon(engine, turn, "cancelled", by);
    await engine.launcher.cancel(turn.id, engine.settings.endGrace, by);
    if (turn.owner !== null && isStopped(turn.owner)) return endForStopped(engine, turn, options);
  }
  const wake = [leave, signal?.aborted ? undefined : signal].filter((each) => each !== undefined);
  await delay(pollInterval, undefined, { signal: AbortSignal.any(wake) }).catch(() => {});
}

/** A stopped owner settles nothing: it is fenced, and the turn is ended here. */
async function endForStopped(engine: Engine, turn: Turn, options: DriveTurnOptions): Promise<void> {
  const token = await engine.store.takeOver({
    turn: turn.id,
    token: turn.token,
    owner: engine.owner,
  });
  if (token === null) return;
  const record = { ...turn, owner: engine.owner, token };
  const launched = turn.attempts.some(({ launch, ending }) => launch !== null && ending === null);
  if (!launched) return abandon(engine, record, "cancelled", cancelledBy(options.signal));
  await runTurn(engine, { turn: turn.id, token, record }, options);
}
