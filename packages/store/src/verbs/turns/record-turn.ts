/** The verbs by which the owner of a turn records it: decision, launch, restoration, waiting, attempts, end. */

import { FencedError } from "@reprise/core/errors/errors";
import type { Decision } from "@reprise/core/session/decision";
import { openStatuses, type TurnStatus } from "@reprise/core/session/turn";
import type {
  DecidedAttempt,
  FinishedAttempt,
  FinishTurn,
  TurnClaim,
} from "../../contract/turns.ts";
import { newestCheckpoint, type WithPacked, writeCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/events.ts";
import { limitColumns } from "../limits/limits.ts";
import { lockTurn, nothing, together, toJson } from "../row.ts";
import { retireHandle, writePin } from "../sessions/read-sessions.ts";
import { takeBack, writeMessages } from "../sessions/transcript.ts";
import type { Verb } from "../verb.ts";
import { nextInQueue, releaseLeases, selectAttempt, selectWritten } from "./turn-row.ts";

/** Ends a turn with all its results in one transaction. */
export const finishTurn = function* (
  db: Db,
  finish: WithPacked<FinishTurn>,
): ReturnType<Verb<"finishTurn">> {
  const { turn: id, status, attempt, messages, pin, retire, checkpoint, usage, at } = finish;
  const [claimed, decided, newest] = yield* together(
    // A queued turn may end too: its caller gave up or died.
    requireClaim(db, finish, openStatuses),
    storedAttempts(db, id),
    checkpoint ? newestCheckpoint(db, id, checkpoint) : nothing(),
  );
  const stored = decided.find(({ number }) => number === attempt?.number) ?? null;
  const last = decided.at(-1);
  const outcome = last ? (JSON.parse(last.decision) as Decision).outcome : null;
  if (attempt) yield* writeEnding(db, claimed, attempt, stored, at);
  yield* takeBack(db, claimed, finish.takenBack ?? []);
  yield* writeMessages(db, claimed.conversation, messages);
  if (pin) yield* writePin(db, claimed, pin, at);
  if (retire) yield* retireHandle(db, claimed, retire, at);
  if (checkpoint) yield* writeCheckpoint(db, claimed, { checkpoint, newest, at });
  yield* updateTurn(db, finish);
  // A parked turn keeps its session.
  if (status !== "waiting") yield* releaseLeases(db, id);
  yield* updateSession(db, claimed, finish, outcome);
  const { seq } = claimed;
  const by = finish.error?.by;
  const data = { turn: id, seq, status, usage, ...(by !== undefined && { by }) };
  yield* appendEvent(db, claimed.stream, { type: "turn.finished", data }, at);
  return yield* db.last(function* (last) {
    const [turn, next] = yield* together(selectWritten(last, id), nextInQueue(last, claimed.key));
    return { turn, next };
  });
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
  outcome: string | null,
): Query<void> {
  // A turn that never owned the session does not change its agent.
  const owned = claimed.status !== "queued";
  // A new provider session is confirmed: a requested compaction is done.
  const compacted = pin !== null && outcome !== "resume";
  yield* db.run(
    `UPDATE session SET turns = turns + :ended, last_status = :status, last_outcome = :outcome,
       updated_at = :at, used_at = max(used_at, :at), agent = coalesce(:agent, agent),
       provider = coalesce(:provider, provider)${compacted ? ", compaction = NULL" : ""}
     WHERE key = :key`,
    {
      key: claimed.key,
      ended: status === "waiting" ? 0 : 1,
      status,
      outcome,
      agent: owned ? claimed.agent : null,
      provider: owned ? claimed.provider : null,
      at,
    },
  );
}

/** Ends an attempt that is followed by another, with the state in which it left the provider session. */
export const endAttempt = function* (
  db: Db,
  end: WithPacked<Parameters<Verb<"endAttempt">>[1]>,
): ReturnType<Verb<"endAttempt">> {
  const { turn, attempt, retire, pin, checkpoint, compacted, at } = end;
  const [claimed, stored, newest] = yield* together(
    requireClaim(db, end),
    storedAttempt(db, turn, attempt.number),
    checkpoint ? newestCheckpoint(db, turn, checkpoint) : nothing(),
  );
  // A repeated call must not undo what the next attempt has written.
  if (!(yield* writeEnding(db, claimed, attempt, stored, at))) return;
  if (pin) yield* writePin(db, claimed, pin, at);
  if (retire) yield* retireHandle(db, claimed, retire, at);
  if (checkpoint) yield* writeCheckpoint(db, claimed, { checkpoint, newest, at });
  if (!compacted) return;
  yield* db.run("UPDATE session SET compaction = NULL WHERE key = :key", { key: claimed.key });
  yield* appendEvent(
    db,
    claimed.stream,
    { type: "session.compacted", data: { turn, agent: claimed.agent, handle: attempt.handle } },
    at,
  );
};

interface StoredAttempt {
  readonly number: number;
  readonly ending: string | null;
  readonly bumped_epoch: number;
  readonly decision: string;
}

function storedAttempts(db: Db, turn: string): Query<StoredAttempt[]> {
  return db.all<StoredAttempt>(
    "SELECT number, ending, bumped_epoch, decision FROM attempt WHERE turn = :turn ORDER BY number",
    { turn },
  );
}

function* storedAttempt(db: Db, turn: string, number: number): Query<StoredAttempt | null> {
  return (yield* storedAttempts(db, turn)).find((each) => each.number === number) ?? null;
}

/** Writes how an attempt ended; false, and nothing changes, if it was already written. */
function* writeEnding(
  db: Db,
  claimed: ClaimedTurnRow,
  attempt: FinishedAttempt,
  stored: StoredAttempt | null,
  at: number,
): Query<boolean> {
  const { id: turn, stream } = claimed;
  const { number, ending, handle, exit, error, usage, tools, started, denied = [] } = attempt;
  if (stored === null) throw new Error(`Turn ${turn} has no attempt ${number}.`);
  if (stored.ending !== null) return false;
  yield* db.run(
    `UPDATE attempt SET ending = :ending, handle = :handle, exit = :exit, error = :error,
       usage = :usage, tools = :tools, denied = :denied, ended_at = :at
     WHERE turn = :turn AND number = :number`,
    {
      turn,
      number,
      ending,
      handle,
      exit,
      error: toJson(error),
      usage: toJson(usage),
      tools: tools ? 1 : 0,
      denied: denied.length > 0 ? JSON.stringify(denied) : null,
      at,
    },
  );
  yield* writeLimit(db, claimed, attempt, at);
  if (started === false)
    yield* db.run(
      "UPDATE attempt SET launch = NULL, argv = NULL WHERE turn = :turn AND number = :number",
      { turn, number },
    );
  yield* appendEvent(
    db,
    stream,
    { type: "attempt.ended", data: { turn, attempt: number, ending } },
    at,
  );
  return true;
}

/** The account that an attempt used, as its launch recorded it. */
const used = `(SELECT launch ->> 'account' FROM attempt WHERE turn = :turn AND number = :number)`;

/** What the end of an attempt says about the limit of its account; without a known account nothing is remembered. */
function* writeLimit(
  db: Db,
  { id: turn, agent, provider, stream }: ClaimedTurnRow,
  { number, ending, limitedUntil }: FinishedAttempt,
  at: number,
): Query<void> {
  if (limitedUntil !== undefined) {
    yield* db.run(
      `INSERT INTO account_limit (${limitColumns})
       SELECT :provider, account, :until, :turn, :agent, :at FROM (SELECT ${used} AS account) AS used
       WHERE account IS NOT NULL
       ON CONFLICT (provider, account) DO UPDATE SET until = excluded.until, turn = excluded.turn,
         agent = excluded.agent, at = excluded.at`,
      { provider, until: limitedUntil, turn, agent, at, number },
    );
    const data = { turn, agent, provider, until: limitedUntil };
    yield* appendEvent(db, stream, { type: "account.limited", data }, at);
  } else if (succeeded.includes(ending))
    // An attempt that was started before the limit was found says nothing about it.
    yield* db.run(
      `DELETE FROM account_limit WHERE provider = :provider AND account = ${used}
         AND at <= (SELECT started_at FROM attempt WHERE turn = :turn AND number = :number)`,
      { provider, turn, number },
    );
}

const succeeded: readonly FinishedAttempt["ending"][] = [
  "confirmed",
  "compacted",
  "asked",
  "ghost",
];

/** Records what was typed or taken back in the provider's own program, with the pin that covers it. */
export const importMessages = function* (
  db: Db,
  record: WithPacked<Parameters<Verb<"importMessages">>[1]>,
): Query<void> {
  const { turn, token, messages, takenBack = [], pin, checkpoint, at } = record;
  const [claimed, newest] = yield* together(
    requireClaim(db, { turn, token }),
    checkpoint ? newestCheckpoint(db, turn, checkpoint) : nothing(),
  );
  yield* takeBack(db, claimed, takenBack);
  yield* writeMessages(db, claimed.conversation, messages);
  const counts = { messages: messages.length, takenBack: takenBack.length };
  yield* appendEvent(
    db,
    claimed.stream,
    { type: "messages.imported", data: { turn, ...counts } },
    at,
  );
  yield* writePin(db, claimed, pin, at);
  if (checkpoint) yield* writeCheckpoint(db, claimed, { checkpoint, newest, at });
};

/** Records a launch before it is started, with its decision if that is not recorded yet. */
export const recordLaunch: Verb<"recordLaunch"> = function* (db, record) {
  const { turn, number, decided, launch, argv, handle, limit, at } = record;
  const [claimed, stored, live] = yield* together(
    requireClaim(db, record),
    storedAttempt(db, turn, number),
    limit ? liveOn(db, limit.host, turn) : nothing(),
  );
  if (limit && live !== null && live >= limit.max) return null;
  const launched = { launch: JSON.stringify(launch), argv: JSON.stringify(argv), handle };
  if (decided) yield* writeDecision(db, claimed, { number, stored, decided, launched, at });
  else {
    if (stored === null || stored.ending !== null)
      throw new Error(`Turn ${turn} has no open attempt ${number}.`);
    yield* db.run(
      `UPDATE attempt SET launch = :launch, argv = :argv, handle = :handle, started_at = :at
       WHERE turn = :turn AND number = :number`,
      { turn, number, ...launched, at },
    );
  }
  const data = { turn, attempt: number };
  yield* appendEvent(db, claimed.stream, { type: "turn.launched", data }, at);
  return yield* db.last((last) => selectAttempt(last, turn, number));
};

/** The number of launches on a host that have not ended, except those of one turn. */
function* liveOn(db: Db, host: string, except: string): Query<number> {
  const row = yield* db.get<{ live: number }>(
    `SELECT count(*) AS live FROM turn JOIN attempt ON attempt.turn = turn.id
     WHERE turn.status = 'running' AND turn.id <> :except AND attempt.ending IS NULL
       AND attempt.launch ->> 'host' = :host`,
    { host, except },
  );
  return row?.live ?? 0;
}

/** Records the decision for an attempt; it may be replaced until the attempt ends. */
export const recordDecision: Verb<"recordDecision"> = function* (db, record) {
  const { turn, number, at } = record;
  const [claimed, stored] = yield* together(
    requireClaim(db, record),
    storedAttempt(db, turn, number),
  );
  yield* writeDecision(db, claimed, { number, stored, decided: record, launched: null, at });
  return yield* db.last((last) => selectAttempt(last, turn, number));
};

interface AttemptDecision {
  readonly number: number;
  /** The attempt, if it was decided before. */
  readonly stored: StoredAttempt | null;
  readonly decided: DecidedAttempt;
  /** As stored, if it is launched with this decision. */
  readonly launched: {
    readonly launch: string;
    readonly argv: string;
    readonly handle: string | null;
  } | null;
  readonly at: number;
}

function* writeDecision(
  db: Db,
  { id: turn, key, stream }: ClaimedTurnRow,
  { number, stored, decided: { decision, bumpEpoch }, launched, at }: AttemptDecision,
): Query<void> {
  if (stored !== null && stored.ending !== null)
    throw new Error(`Attempt ${number} of turn ${turn} has already ended.`);
  const counted = stored?.bumped_epoch ?? 0;
  const counts = bumpEpoch ? 1 : 0;
  yield* db.run(
    `INSERT INTO attempt (turn, number, bumped_epoch, tools, started_at, decision, launch, argv,
       handle)
     VALUES (:turn, :number, :counts, 0, :at, :decision, :launch, :argv, :handle)
     ON CONFLICT (turn, number) DO UPDATE
     SET bumped_epoch = excluded.bumped_epoch, decision = excluded.decision,
       started_at = excluded.started_at, launch = excluded.launch, argv = excluded.argv,
       handle = excluded.handle`,
    {
      turn,
      number,
      counts,
      at,
      decision: JSON.stringify(decision),
      ...(launched ?? { launch: null, argv: null, handle: null }),
    },
  );
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

/** Records that the provider's files were restored from a checkpoint, with the pin of that time. */
export const recordRestore: Verb<"recordRestore"> = function* (db, { turn, token, pin, at }) {
  const claimed = yield* requireClaim(db, { turn, token });
  yield* appendEvent(
    db,
    claimed.stream,
    { type: "session.restored", data: { turn, agent: claimed.agent, handle: pin.handle.id } },
    at,
  );
  yield* writePin(db, claimed, pin, at);
};

/** Records what a turn waits for, so that every reader of the log can show it. */
export const recordWaiting: Verb<"recordWaiting"> = function* (db, { turn, token, waiting, at }) {
  const { stream } = yield* requireClaim(db, { turn, token }, ["queued", "running"]);
  const { type, ...rest } = waiting;
  yield* appendEvent(db, stream, { type: `turn.${type}`, data: { turn, ...rest } }, at);
};

// Checks that the caller still owns the turn it writes for.

export interface ClaimedTurnRow {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  readonly status: TurnStatus;
  readonly agent: string;
  readonly provider: string;
  readonly conversation: string;
  readonly stream: string;
}

/** @throws FencedError if the turn has another status or another token. */
export function* requireClaim(
  db: Db,
  { turn, token }: TurnClaim,
  statuses: readonly TurnStatus[] = ["running", "waiting"],
): Query<ClaimedTurnRow> {
  yield* lockTurn(db, turn);
  const row = yield* db.get<Omit<ClaimedTurnRow, "stream"> & { token: number }>(
    `SELECT turn.id, turn.key, turn.seq, turn.status, turn.agent, turn.provider, turn.token,
       session.conversation
     FROM turn JOIN session ON session.key = turn.key
     WHERE turn.id = :turn`,
    { turn },
  );
  if (row === undefined || row.token !== token || !statuses.includes(row.status))
    throw new FencedError(turn);
  const stream = `session:${row.key}`;
  db.locked.add(stream);
  return { ...row, stream };
}
