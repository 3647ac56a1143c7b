/** Gives the first turn in the queue its leases and makes it running. */

import { FencedError, NotFoundError } from "@reprise/core/errors/errors";
import { openStatuses } from "@reprise/core/session/turn";
import type { Verb } from "../verb.ts";
import { firstInQueue, leaseHolder, leaseNames, takeLeases } from "./queue.ts";
import { selectTurn } from "./turn-row.ts";

export const claimTurn: Verb<"claimTurn"> = function* (db, { turn: id, owner, at }) {
  const turn = yield* selectTurn(db, id);
  if (turn === null)
    throw new NotFoundError(
      "no-turn",
      `There is no turn ${id}.`,
      "Its session may have been purged.",
    );
  if (!openStatuses.includes(turn.status)) throw new FencedError(id);

  const { key, agent } = turn.request;
  const first = (yield* firstInQueue(db, key)) ?? turn;
  if (first.id !== id) return { granted: false, behind: first };
  const names = yield* leaseNames(db, key, agent);
  const holder = yield* leaseHolder(db, names);
  if (holder) return { granted: false, behind: holder };

  const token = turn.token + 1;
  yield* db.run(
    `UPDATE turn SET status = 'running', owner = :owner, token = :token, started_at = :at
     WHERE id = :id`,
    { id, owner: JSON.stringify(owner), token, at },
  );
  yield* takeLeases(db, names, id);
  return {
    granted: true,
    token,
    turn: { ...turn, status: "running", owner, token, startedAt: at },
  };
};
