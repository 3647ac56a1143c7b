/**
 * Standing in line for a session. Turns of one key are served in their order; whoever stands in line
 * first carries on what a dead process left ahead of it, and runs what was queued and acknowledged.
 */

import { setTimeout as delay } from "node:timers/promises";
import { FencedError } from "@reprise/core/errors/errors";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import { lives } from "@reprise/providers/launch/process";
import type { Engine } from "../engine.ts";
import type { Place } from "./place.ts";
import { abandon, recover } from "./recover.ts";
import { runTurn } from "./run-turn.ts";

/** How long to wait before looking again; a look reads one row and locks nothing. */
const pause = 25;

export interface LineOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives the place up to whoever comes next; the turn stays in line. */
  readonly leave?: AbortSignal | undefined;
  readonly onWaiting?: ((behind: string) => void) | undefined;
}

/** Waits until the turn has the session; null when it was cancelled or left before. */
export async function standInLine(
  engine: Engine,
  turn: Turn,
  { signal, leave, onWaiting }: LineOptions,
): Promise<Place | null> {
  const over = AbortSignal.any([signal, leave].filter((each) => each !== undefined));
  for (;;) {
    if (signal?.aborted) {
      await abandon(engine, turn, "cancelled");
      return null;
    }
    if (leave?.aborted) {
      await engine.store.takeOver({ turn: turn.id, token: turn.token, owner: null });
      return null;
    }
    const claim = await claimOnce(engine, turn);
    if (claim.granted) return { turn: turn.id, token: claim.token, record: claim.turn };
    onWaiting?.(claim.behind.id);
    try {
      if (await carryOn(engine, claim.behind, over)) continue;
    } catch (error) {
      if (!over.aborted) throw error;
    }
    await untilItMoves(engine, claim.behind, over);
  }
}

/** Waits while the turn ahead is in the same hands; claiming again and again would keep others from writing. */
async function untilItMoves(
  engine: Engine,
  { id, token }: Turn,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await delay(pause, undefined, { signal }).catch(() => {});
    const ahead = await engine.store.readTurn(id);
    if (ahead === null || !openStatuses.includes(ahead.status) || ahead.token !== token) return;
    if (ahead.status === "waiting") continue;
    if (ahead.owner === null || !lives(ahead.owner)) return;
  }
}

export function claimOnce(engine: Engine, turn: Turn) {
  return engine.store.claimTurn({ turn: turn.id, owner: engine.owner, at: engine.now() });
}

/** Moves a turn that stands in the way; false when its owner lives and does that itself. */
async function carryOn(engine: Engine, behind: Turn, leave?: AbortSignal): Promise<boolean> {
  if (behind.status === "queued" && behind.acknowledged) return runQueued(engine, behind, leave);
  if (behind.status === "waiting") return false;
  if (behind.owner !== null && lives(behind.owner)) return false;
  return unlessFenced(() => recover(engine, behind, leave));
}

/** Runs a turn that was queued and acknowledged; false when somebody else has it or the session. */
export function runQueued(engine: Engine, turn: Turn, leave?: AbortSignal): Promise<boolean> {
  return unlessFenced(async () => {
    const claim = await claimOnce(engine, turn);
    if (!claim.granted) return false;
    await runTurn(engine, { turn: turn.id, token: claim.token, record: claim.turn }, { leave });
    return true;
  });
}

/** Whoever is fenced while it carries on the turn of another has lost that one, not its own. */
async function unlessFenced(carry: () => Promise<boolean>): Promise<boolean> {
  try {
    return await carry();
  } catch (error) {
    if (error instanceof FencedError) return false;
    throw error;
  }
}

/** Serves what was queued and acknowledged anywhere in the home, until nothing is left that is free. */
export async function drain(engine: Engine): Promise<void> {
  for (let served = true; served; ) {
    served = false;
    for (const turn of await engine.store.listOpenTurns())
      if (turn.status === "queued" && turn.acknowledged)
        served = (await runQueued(engine, turn)) || served;
  }
}
