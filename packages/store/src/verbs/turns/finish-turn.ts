/** Ends a turn with all its results in one transaction. */

import { openStatuses } from "@reprise/core/session/turn";
import type { FinishTurn } from "../../contract/turns.ts";
import { type WithPacked, writeCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { toJson } from "../json.ts";
import { retireHandle, writePin } from "../sessions/pin.ts";
import { takeBack, writeMessages } from "../sessions/transcript.ts";
import type { Verb } from "../verb.ts";
import { writeEnding } from "./attempt.ts";
import { nextInQueue, releaseLeases } from "./queue.ts";
import { type ClaimedTurnRow, requireClaim } from "./require-claim.ts";
import { selectTurn } from "./turn-row.ts";

export const finishTurn = function* (
  db: Db,
  finish: WithPacked<FinishTurn>,
): ReturnType<Verb<"finishTurn">> {
  const { status, attempt, messages, pin, retire, checkpoint, usage, at } = finish;
  // A queued turn may end too: its caller gave up or died.
  const claimed = yield* requireClaim(db, finish, openStatuses);
  if (attempt) yield* writeEnding(db, claimed, attempt, at);
  yield* takeBack(db, claimed, finish.takenBack ?? []);
  yield* writeMessages(db, claimed.conversation, messages);
  if (pin) yield* writePin(db, claimed, pin, at);
  if (retire) yield* retireHandle(db, claimed, retire, at);
  if (checkpoint) yield* writeCheckpoint(db, claimed, checkpoint, at);
  yield* updateTurn(db, finish);
  // A parked turn keeps its session.
  if (status !== "waiting") yield* releaseLeases(db, claimed.id);
  yield* updateSession(db, claimed, finish);
  const by = finish.error?.by;
  const data = {
    turn: claimed.id,
    seq: claimed.seq,
    status,
    usage,
    ...(by !== undefined && { by }),
  };
  yield* appendEvent(db, claimed.stream, { type: "turn.finished", data }, at);
  const turn = yield* selectTurn(db, claimed.id);
  return { turn: turn!, next: yield* nextInQueue(db, claimed.key) };
};

function* updateTurn(db: Db, finish: FinishTurn): Query<void> {
  yield* db.run(
    `UPDATE turn SET status = :status, output = :output, error = :error, usage = :usage,
       notices = :notices, ended_at = :endedAt, asked = coalesce(:asked, asked),
       asked_at = coalesce(:askedAt, asked_at),
       answer = CASE WHEN :askedAt IS NULL THEN answer END,
       answered_at = CASE WHEN :askedAt IS NULL THEN answered_at END,
       answered_by = CASE WHEN :askedAt IS NULL THEN answered_by END
     WHERE id = :turn`,
    {
      turn: finish.turn,
      status: finish.status,
      output: finish.output,
      error: toJson(finish.error),
      usage: toJson(finish.usage),
      notices: JSON.stringify(finish.notices),
      asked: toJson(finish.asked),
      askedAt: finish.asked === null ? null : finish.at,
      endedAt: finish.status === "waiting" ? null : finish.at,
    },
  );
}

function* updateSession(
  db: Db,
  claimed: ClaimedTurnRow,
  { status, pin, at }: FinishTurn,
): Query<void> {
  const outcome = yield* lastOutcome(db, claimed.id);
  yield* db.run(
    `UPDATE session SET turns = turns + :ended, last_status = :status, last_outcome = :outcome,
       updated_at = :at, used_at = max(used_at, :at)
     WHERE key = :key`,
    {
      key: claimed.key,
      ended: status === "waiting" ? 0 : 1,
      status,
      outcome,
      at,
    },
  );
  // A new provider session is confirmed: a requested compaction is done.
  if (pin && outcome !== "resume")
    yield* db.run("UPDATE session SET compaction = NULL WHERE key = :key", { key: claimed.key });
  // A turn that never owned the session does not change its agent.
  if (claimed.status !== "queued")
    yield* db.run("UPDATE session SET agent = :agent, provider = :provider WHERE key = :key", {
      key: claimed.key,
      agent: claimed.agent,
      provider: claimed.provider,
    });
}

function* lastOutcome(db: Db, turn: string): Query<string | null> {
  const attempt = yield* db.get<{ decision: string }>(
    "SELECT decision FROM attempt WHERE turn = :turn ORDER BY number DESC LIMIT 1",
    { turn },
  );
  return attempt ? JSON.parse(attempt.decision).outcome : null;
}
