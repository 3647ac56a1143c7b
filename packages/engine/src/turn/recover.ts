/** Recovers turns whose process is gone: adopts the agent, takes its answer, or marks the turn interrupted. */

import type { Turn } from "@reprise/core/session/turn";
import type { SpoolState } from "@reprise/providers/launch/launcher";
import type { Engine } from "../engine.ts";
import { takeOver } from "./acquire.ts";
import { leftTurns } from "./open-turns.ts";
import { isFree } from "./ownership.ts";
import { type RunTurnOptions, runTurn } from "./run-turn.ts";
import { withoutEffect } from "./without-effect.ts";

/** A queued turn that any process may run: its caller knows that it is queued, or has left it. */
export function isServable({ status, acknowledged, owner }: Turn): boolean {
  return status === "queued" && (acknowledged || owner === null);
}

/** Takes over a dead process's turn and runs it to its end; true when the queue has moved. */
export async function recover(
  engine: Engine,
  turn: Turn,
  options: Pick<RunTurnOptions, "leave" | "runsNext"> = {},
): Promise<boolean> {
  const claimed = await takeOver(engine, turn);
  if (claimed === null) return true;
  if (claimed.record.status === "queued") await abandon(engine, claimed.record, "interrupted");
  else await runTurn(engine, claimed, { ...options, orphaned: true });
  return true;
}

/**
 * Settles every open turn of a dead process whose agent is not running any more. A running agent is left
 * alone, and a turn of a run that still has to start is left to its run. A turn that cannot be settled now
 * stays as it is: it must not prevent the home from opening.
 */
export async function recoverEnded(engine: Engine): Promise<void> {
  for await (const turn of leftTurns(engine)) {
    if (!(await isFree(engine, turn))) continue;
    if (isServable(turn)) continue;
    const state = await launchState(engine, turn);
    if (state === "running") continue;
    if (turn.request.origin && state !== "ended" && state !== "vanished") continue;
    // Reading commands open the home too: they do not run what is queued.
    await recover(engine, turn, { runsNext: false }).catch(() => {});
  }
}

/** The state of the unsettled launch; null if there is none. */
async function launchState(engine: Engine, turn: Turn): Promise<SpoolState | null> {
  const attempt = turn.attempts.at(-1);
  if (attempt === undefined || attempt.launch === null || attempt.ending !== null) return null;
  return engine.launcher.state({ turn: turn.id, attempt: attempt.number });
}

/** Ends a turn that no process works on: it is queued or waits for an answer. */
export async function abandon(
  engine: Engine,
  turn: Turn,
  status: "cancelled" | "interrupted",
  by: string | null = null,
): Promise<null> {
  const what = by === null ? `Turn ${turn.id} was ${status}` : `${by} cancelled turn ${turn.id}`;
  const when = turn.status === "waiting" ? "waited for an answer" : "was queued; nothing was sent";
  await engine.store.finishTurn({
    ...withoutEffect,
    turn: turn.id,
    token: turn.token,
    status,
    error: {
      code: status,
      message: `${what} while it ${when}.`,
      hint: "Send it again.",
      ...(by !== null && { by }),
    },
    at: engine.now(),
  });
  return null;
}
