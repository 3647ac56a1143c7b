/** Accepts the one answer to a waiting turn, makes it running, and appends the event to its run. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import type { NewEvent } from "../../contract/events.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/events.ts";
import { lockTurnAndRun } from "../row.ts";
import { selectHead, writeRun } from "../runs/run-row.ts";
import type { Verb } from "../verb.ts";
import { selectTurn } from "./turn-row.ts";

export const answerTurn: Verb<"answerTurn"> = function* (db, answering) {
  yield* lockTurnAndRun(db, answering.turn);
  const { turn: id, answer, by, event, owner, at } = answering;
  const taken = yield* db.get<{ key: string; token: number }>(
    `UPDATE turn SET status = 'running', answer = :answer, answered_at = :at, answered_by = :by,
       owner = :owner, token = token + 1
     WHERE id = :id AND status = 'waiting'
     RETURNING key, token`,
    { id, answer: JSON.stringify(answer), at, by, owner: JSON.stringify(owner) },
  );
  const turn = yield* selectTurn(db, id);
  if (turn === null)
    throw new NotFoundError(
      "no-turn",
      `There is no turn ${id}.`,
      `Find its id with ${verb("sessions.show", slot("KEY"))}.`,
    );
  if (taken === undefined) return { turn, token: null };
  yield* appendEvent(
    db,
    `session:${taken.key}`,
    { type: "turn.answered", data: { turn: id, decision: answer.decision, by } },
    at,
  );
  const { origin } = turn.request;
  if (event && origin) yield* tellRun(db, origin.run, event, at);
  return { turn, token: taken.token };
};

/** An ended run gets no event; the turn can be answered anyway. */
function* tellRun(db: Db, run: string, event: NewEvent, at: number): Query<void> {
  const head = yield* selectHead(db, run);
  if (head === null || head.ended) return;
  // A stuck run gets the event too, and uses it when it is retried.
  if (head.status === "stuck") yield* writeRun(db, head, { events: [event], status: "stuck", at });
  else yield* writeRun(db, head, { events: [event], status: "running", error: null, at });
}
