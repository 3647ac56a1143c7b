/** Records the decision for an attempt; it may be replaced until the attempt ends. */

import type { DecidedAttempt } from "../../contract/turns.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { type ClaimedTurnRow, requireClaim } from "./require-claim.ts";
import { selectAttempt } from "./turn-row.ts";

export const recordDecision: Verb<"recordDecision"> = function* (db, record) {
  const claimed = yield* requireClaim(db, record);
  yield* writeDecision(db, claimed, record.number, record, record.at);
  return yield* selectAttempt(db, record.turn, record.number);
};

export function* writeDecision(
  db: Db,
  { id: turn, key, stream }: ClaimedTurnRow,
  number: number,
  { decision, bumpEpoch }: DecidedAttempt,
  at: number,
): Query<void> {
  const before = yield* db.get<{ bumped_epoch: number }>(
    "SELECT bumped_epoch FROM attempt WHERE turn = :turn AND number = :number",
    { turn, number },
  );
  const counted = before?.bumped_epoch ?? 0;
  const counts = bumpEpoch ? 1 : 0;

  const written = yield* db.change(
    `INSERT INTO attempt (turn, number, bumped_epoch, tools, started_at, decision)
     VALUES (:turn, :number, :counts, 0, :at, :decision)
     ON CONFLICT (turn, number) DO UPDATE
     SET bumped_epoch = excluded.bumped_epoch, decision = excluded.decision,
       started_at = excluded.started_at, launch = NULL, argv = NULL,
       handle = NULL
     WHERE attempt.ending IS NULL`,
    { turn, number, counts, at, decision: JSON.stringify(decision) },
  );
  if (written === 0) throw new Error(`Attempt ${number} of turn ${turn} has already ended.`);
  // A second decision for the same attempt must not count the failed history guard twice.
  if (counts !== counted)
    yield* db.run("UPDATE session SET epoch = epoch + :difference WHERE key = :key", {
      key,
      difference: counts - counted,
    });
  const { outcome, reason } = decision;
  yield* appendEvent(
    db,
    stream,
    { type: "turn.decided", data: { turn, attempt: number, outcome, reason } },
    at,
  );
}
