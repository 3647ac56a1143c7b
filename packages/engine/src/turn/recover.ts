/** What a start does with turns whose process is gone: adopts the agent, takes its answer, or says so. */

import type { Turn } from "@reprise/core/session/turn";
import type { SpoolState } from "@reprise/providers/launch/launcher";
import type { Engine } from "../engine.ts";
import { isFree } from "./ownership.ts";
import { readTurn, runTurn } from "./run-turn.ts";
import { withoutEffect } from "./without-effect.ts";

/** It runs, whoever lives: its caller was told so, or left it to whoever comes next. */
export function isPromised({ status, acknowledged, owner }: Turn): boolean {
  return status === "queued" && (acknowledged || owner === null);
}

/** Takes a dead process's turn over and carries it to its end; true when the line has moved. */
export async function recover(engine: Engine, turn: Turn, leave?: AbortSignal): Promise<boolean> {
  const token = await engine.store.takeOver({
    turn: turn.id,
    token: turn.token,
    owner: engine.owner,
  });
  if (token === null) return true;
  const record = await readTurn(engine, turn.id);
  if (record.status === "queued") await abandon(engine, record, "interrupted");
  else await runTurn(engine, { turn: turn.id, token, record }, { orphaned: true, leave });
  return true;
}

/**
 * Settles every open turn of a dead process that nothing runs any more; a living agent is left alone,
 * and what a run's turn has yet to do is left to its run. A turn that can not be settled now stays as it
 * is: it must not keep the home from opening.
 */
export async function recoverEnded(engine: Engine): Promise<void> {
  for (const turn of await engine.store.listOpenTurns()) {
    if (!(await isFree(engine, turn))) continue;
    if (turn.status === "waiting" || isPromised(turn)) continue;
    const state = await launchState(engine, turn);
    if (state === "running") continue;
    if (turn.request.origin && state !== "ended" && state !== "vanished") continue;
    await recover(engine, turn).catch(() => {});
  }
}

/** Of the launch that is not settled yet; null when there is none. */
async function launchState(engine: Engine, turn: Turn): Promise<SpoolState | null> {
  const attempt = turn.attempts.at(-1);
  if (attempt === undefined || attempt.launch === null || attempt.ending !== null) return null;
  return engine.launcher.state({ turn: turn.id, attempt: attempt.number });
}

/** Ends a turn that no process works on: it stands in line, or waits for an answer. */
export async function abandon(
  engine: Engine,
  turn: Turn,
  status: "cancelled" | "interrupted",
  by: string | null = null,
): Promise<void> {
  const what = by === null ? `Turn ${turn.id} was ${status}` : `${by} cancelled turn ${turn.id}`;
  const when =
    turn.status === "waiting" ? "waited for an answer" : "stood in line; nothing was sent";
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
}
