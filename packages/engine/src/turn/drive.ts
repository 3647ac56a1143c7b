/** Drives a turn to its end, whatever its state and whichever process owned it before. */

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

/** Milliseconds between polls of a turn that another process owns. */
const pollInterval = 50;
/** A cancelling caller checks every Nth poll whether the end can be recorded at all. */
const diskCheckEvery = 20;

export type DriveTurnOptions = Pick<RunTurnOptions, "signal" | "leave" | "onProgress">;

/**
 * Takes over a turn whose owner is gone, as its own caller would: starts what was never started, adopts
 * what runs, settles what has ended. Waits for a turn that a live process owns. Returns the turn when it
 * has ended, waits for an answer, or was left; null if there is no such turn.
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
    // The owner may be unable to record the end: report why instead of waiting for ever.
    if (options.signal?.aborted && look % diskCheckEvery === 0) await engine.store.checkWritable();
    try {
      await driveOnce(engine, turn, options);
    } catch (error) {
      // Another process took it first: poll again.
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
  // A live owner, or another call in this process, drives it to its end.
  if (!(await isFree(engine, turn))) return lookAtOwner(engine, turn, options);
  // End the processes before anything is written, so that a full disk cannot prevent a cancellation.
  if (signal?.aborted && status === "running")
    await engine.launcher.cancel(id, engine.settings.endGrace, cancelledBy(signal));
  const token = await engine.store.takeOver({ turn: id, token: turn.token, owner: engine.owner });
  if (token === null || status === "queued") return;
  const record = { ...turn, owner: engine.owner, token };
  await runTurn(engine, { turn: id, token, record }, options);
}

/** Waits one poll interval for another owner's turn. A cancel ends its processes, and the owner settles it. */
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

/** A stopped (SIGSTOP) owner settles nothing: fence it and end the turn here. */
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
