/** Whether a turn still has a live owner, or any process may take it over. */

import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { isReleased } from "../hosts.ts";

/** The owner is gone or has released the turn. */
export async function isFree(engine: Engine, turn: Turn): Promise<boolean> {
  const { id, owner, token } = turn;
  if (owner === null || isReleased(engine, { kind: "turn", id, token })) return true;
  const state = await engine.hosts.state(owner);
  return state === "silent" ? hasNoAgent(engine, turn) : state === "gone";
}

/**
 * Nothing was started, or the agent's exit is recorded. An agent that was started where we cannot see
 * processes may still be running, however long its owner has been silent.
 */
async function hasNoAgent({ launcher }: Engine, { id, attempts }: Turn): Promise<boolean> {
  const attempt = attempts.at(-1);
  if (attempt === undefined || attempt.launch === null || attempt.ending !== null) return true;
  const state = await launcher.state({ turn: id, attempt: attempt.number });
  return state === "ended" || state === "withdrawn";
}
