/** Gives the first turn in the queue its leases and makes it running. */

import { FencedError, NotFoundError } from "@reprise/core/errors/errors";
import { openStatuses, type ProcessIdentity, type Turn } from "@reprise/core/session/turn";
import type { SessionFacts } from "../../contract/sessions.ts";
import { readAgent } from "../agents/read-agents.ts";
import type { Db, Query } from "../db.ts";
import { lockTurn } from "../locks.ts";
import { load } from "../sessions/load.ts";
import type { Verb } from "../verb.ts";
import { firstInQueue, leaseHolder, leaseNames, takeLeases } from "./queue.ts";
import { selectTurn } from "./turn-row.ts";

export const claimTurn: Verb<"claimTurn"> = function* (db, { turn: id, owner, at }) {
  yield* lockTurn(db, id);
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

  const claimed = yield* giveSession(db, turn, names, owner, at);
  return {
    granted: true,
    token: claimed.token,
    turn: claimed,
    agent: yield* readAgent(db, agent),
    facts: yield* factsFor(db, claimed),
  };
};

/** Makes a queued turn running, with a new token and these leases. */
export function* giveSession(
  db: Db,
  turn: Turn,
  leases: readonly string[],
  owner: ProcessIdentity,
  at: number,
): Query<Turn> {
  const token = turn.token + 1;
  yield* db.run(
    `UPDATE turn SET status = 'running', owner = :owner, token = :token, started_at = :at
     WHERE id = :id`,
    { id: turn.id, owner: JSON.stringify(owner), token, at },
  );
  yield* takeLeases(db, leases, turn.id);
  return { ...turn, status: "running", owner, token, startedAt: at };
}

/** What is needed to decide about a turn. */
export function factsFor(db: Db, { id, request: { key, agent } }: Turn): Query<SessionFacts> {
  return load(db, { key, agent, turn: id });
}
