/** Finds a turn by key (its last turn), by id, or by the beginning of an id. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { sessionKey } from "@reprise/core/session/key";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { readTurn } from "./run-turn.ts";

/** The turn to cancel. For a key: the one that owns the session, otherwise the first in the queue, otherwise the last. */
export async function findTurnToCancel(engine: Engine, turnOrKey: string): Promise<Turn> {
  const found = await findTurn(engine, turnOrKey);
  if (found.request.key !== turnOrKey) return found;
  return (await headOf(engine, turnOrKey)) ?? found;
}

/** The open turn of a session that runs, waits for an answer or is first in the queue. */
export async function headOf({ store }: Engine, key: string): Promise<Turn | null> {
  const [head] = await store.listOpenTurns({ key, heads: true, limit: 1 });
  return head ?? null;
}

export async function findTurn(engine: Engine, turnOrKey: string): Promise<Turn> {
  // A turn id is also a valid key.
  const [last] = await engine.store.listTurns({ key: sessionKey(turnOrKey), limit: 1 });
  if (last) return last;
  const found =
    turnOrKey.length >= 4 ? await engine.store.findTurns(turnOrKey.toLowerCase(), 2) : [];
  const [id, another] = found;
  if (another !== undefined)
    throw new UsageError(
      "ambiguous-turn",
      `Several turns begin with ${turnOrKey}.`,
      "Give more of the id.",
    );
  if (id !== undefined) return readTurn(engine, id);
  throw new NotFoundError(
    "no-turn",
    `There is no turn and no session ${turnOrKey}.`,
    `${verb("sessions.list")} lists the sessions, and ${verb("sessions.show", slot("KEY"))} their turns.`,
  );
}
