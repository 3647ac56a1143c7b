/** Queues an interrupted turn again, if it is certain that nothing of it was started. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { appendEvent } from "../events/event.ts";
import { lockTurn } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { selectTurn } from "./turn-row.ts";

export const reopenTurn: Verb<"reopenTurn"> = function* (db, { turn: id, owner, at }) {
  yield* lockTurn(db, id);
  const turn = yield* selectTurn(db, id);
  if (turn === null)
    throw new NotFoundError(
      "no-turn",
      `There is no turn ${id}.`,
      "Its session may have been purged.",
    );
  const started = turn.attempts.some(({ launch }) => launch !== null);
  if (turn.status !== "interrupted" || started) return turn;
  // The earlier decision is made again.
  yield* db.run("DELETE FROM attempt WHERE turn = :id", { id });
  yield* db.run(
    `UPDATE turn SET status = 'queued', owner = :owner, token = token + 1, error = NULL,
       notices = '[]', started_at = NULL, ended_at = NULL
     WHERE id = :id`,
    { id, owner: JSON.stringify(owner) },
  );
  yield* db.run(
    `UPDATE session SET turns = turns - 1, updated_at = :at, used_at = max(used_at, :at)
     WHERE key = :key`,
    { key: turn.request.key, at },
  );
  const data = { turn: id, seq: turn.seq };
  yield* appendEvent(db, `session:${turn.request.key}`, { type: "turn.reopened", data }, at);
  return (yield* selectTurn(db, id))!;
};
