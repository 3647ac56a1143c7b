/** Takes the one answer to a waiting turn, and makes it run again. */

import { UsageError } from "@reprise/core/errors/errors";
import { appendEvent } from "./event.ts";
import { selectTurn } from "./turn-row.ts";
import type { Verb } from "./verb.ts";

export const answerTurn: Verb<"answerTurn"> = (db, { turn: id, answer, by, owner, at }) => {
  const taken = db.get<{ key: string; token: number }>(
    `UPDATE turn SET status = 'running', answer = :answer, owner = :owner, token = token + 1
     WHERE id = :id AND status = 'waiting'
     RETURNING key, token`,
    { id, answer: JSON.stringify(answer), owner: JSON.stringify(owner) },
  );
  const turn = selectTurn(db, id);
  if (taken === undefined || turn === null)
    throw new UsageError(
      "not-waiting",
      `Turn ${id} does not wait for an answer${turn ? `: it is ${turn.status}` : ""}.`,
      "reprise why shows what became of it.",
    );
  appendEvent(
    db,
    `session:${taken.key}`,
    { type: "turn.answered", data: { turn: id, decision: answer.decision, by } },
    at,
  );
  return { turn, token: taken.token };
};
