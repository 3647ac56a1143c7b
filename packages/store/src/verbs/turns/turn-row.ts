/** Reads turns, their attempts, the queue and the leases of a session. */

import type { Attempt, Turn, TurnRequest } from "@reprise/core/session/turn";
import type { Db, Query } from "../db.ts";
import { fromJson, isOwnedBy, namedOwners, storedDecision, together } from "../row.ts";
import type { Verb } from "../verb.ts";

/** Written exactly as in the partial index `turn_open`, so that SQLite uses that index. */
export const isOpen = "status IN ('queued', 'running', 'waiting')";

/** Fields that turns of earlier versions do not have. */
type Added = "outputSchema" | "cwd" | "finishes" | "origin";
const unkept: Pick<TurnRequest, Added> = {
  outputSchema: null,
  cwd: null,
  finishes: false,
  origin: null,
};
type KeptRequest = Omit<TurnRequest, Added> & Partial<Pick<TurnRequest, Added>>;

interface TurnRow {
  id: string;
  seq: number;
  epoch: number;
  status: Turn["status"];
  provider: string;
  acknowledged: number;
  owner: string | null;
  token: number;
  opened_at: number;
  started_at: number | null;
  ended_at: number | null;
  error: string | null;
  usage: string | null;
  notices: string;
  request: string;
  output: string | null;
  asked: string | null;
  answer: string | null;
  asked_at: number | null;
  answered_at: number | null;
  answered_by: string | null;
}

interface AttemptRow {
  turn: string;
  number: number;
  handle: string | null;
  exit: string | null;
  ending: Attempt["ending"];
  error: string | null;
  usage: string | null;
  tools: number;
  denied: string | null;
  started_at: number;
  ended_at: number | null;
  launch: string | null;
  argv: string | null;
  decision: string;
}

/** `rest`: what follows `FROM turn` in the SELECT. */
function* selectTurns(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Query<Turn[]> {
  const rows = yield* selectRows(db, rest, parameters);
  if (rows.length === 0) return [];
  return turnsFrom(rows, yield* selectAttempts(db, rest, parameters));
}

export function* selectTurn(db: Db, id: string): Query<Turn | null> {
  return (yield* selectTurns(db, "WHERE id = :id", { id }))[0] ?? null;
}

/** A turn that was just written. */
export function* selectWritten(db: Db, id: string): Query<Turn> {
  const [rows, attempts] = yield* together(
    selectRows(db, "WHERE id = :id", { id }),
    selectAttempts(db, "WHERE id = :id", { id }),
  );
  return turnsFrom(rows, attempts)[0]!;
}

function selectRows(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Query<TurnRow[]> {
  return db.all<TurnRow>(
    `SELECT id, seq, (SELECT epoch FROM session WHERE session.key = turn.key) AS epoch, status,
       provider, acknowledged, owner, token, opened_at, started_at, ended_at, error, usage, notices, request, output, asked, answer, asked_at, answered_at, answered_by
     FROM turn ${rest}`,
    parameters,
  );
}

const attemptColumns =
  "turn, number, handle, exit, ending, error, usage, tools, denied, started_at, ended_at, launch, argv, decision";

/** The attempts of the same turns, by turn: one statement, however many turns there are. */
function* selectAttempts(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Query<Map<string, AttemptRow[]>> {
  const rows = yield* db.all<AttemptRow>(
    `SELECT ${attemptColumns} FROM attempt
     WHERE turn IN (SELECT id FROM turn ${rest}) ORDER BY turn, number`,
    parameters,
  );
  return Map.groupBy(rows, ({ turn }) => turn);
}

/** An attempt that was just written. */
export function* selectAttempt(db: Db, turn: string, number: number): Query<Attempt> {
  const row = yield* db.get<AttemptRow>(
    `SELECT ${attemptColumns} FROM attempt WHERE turn = :turn AND number = :number`,
    { turn, number },
  );
  return attemptFrom(row!);
}

function turnsFrom(rows: readonly TurnRow[], attempts: Map<string, AttemptRow[]>): Turn[] {
  return rows.map((row) => turnFrom(row, (attempts.get(row.id) ?? []).map(attemptFrom)));
}

function turnFrom(row: TurnRow, attempts: Attempt[]): Turn {
  return {
    id: row.id,
    seq: row.seq,
    epoch: row.epoch,
    status: row.status,
    request: { ...unkept, ...fromJson<KeptRequest>(row.request) },
    provider: row.provider,
    acknowledged: row.acknowledged === 1,
    owner: fromJson(row.owner),
    token: row.token,
    attempts,
    asked: fromJson(row.asked),
    askedAt: row.asked_at,
    answer: fromJson(row.answer),
    answered: row.answered_at === null ? null : { by: row.answered_by, at: row.answered_at },
    output: row.output,
    error: fromJson(row.error),
    usage: fromJson(row.usage),
    notices: fromJson(row.notices),
    openedAt: row.opened_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

function attemptFrom(row: AttemptRow): Attempt {
  return {
    number: row.number,
    decision: storedDecision(row.decision),
    launch: fromJson(row.launch),
    argv: fromJson(row.argv),
    handle: row.handle,
    exit: row.exit,
    ending: row.ending,
    error: fromJson(row.error),
    usage: fromJson(row.usage),
    tools: row.tools === 1,
    denied: fromJson(row.denied) ?? [],
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

/** Reads turns: by id, by prefix, those of a key, a page of open ones, or those that asked a question. */
export const readTurn: Verb<"readTurn"> = function* (db, id) {
  return yield* selectTurn(db, id);
};

export const findTurns: Verb<"findTurns"> = function* (db, prefix, limit) {
  return (yield* db.all<{ id: string }>(
    "SELECT id FROM turn WHERE id >= :prefix AND id < :end ORDER BY id LIMIT :limit",
    { prefix, end: `${prefix}\u{10ffff}`, limit },
  )).map(({ id }) => id);
};

export const listTurns: Verb<"listTurns"> = function* (
  db,
  { key, before = Number.MAX_SAFE_INTEGER, limit },
) {
  return yield* selectTurns(
    db,
    "WHERE key = :key AND seq < :before ORDER BY seq DESC LIMIT :limit",
    {
      key,
      before,
      limit,
    },
  );
};

export const listOpenTurns: Verb<"listOpenTurns"> = function* (db, query) {
  const { key, run, heads = false, leftBy, after, limit } = query;
  const owners = namedOwners(leftBy ?? []);
  const conditions = [
    isOpen,
    ...(key === undefined ? [] : ["key = :key"]),
    ...(run === undefined ? [] : ["request -> 'origin' ->> 'run' = :run"]),
    ...(leftBy === undefined
      ? []
      : [
          `status <> 'waiting'
           AND (${isOwnedBy(owners)} OR (status = 'queued' AND acknowledged = 1))`,
        ]),
    ...(after === undefined ? [] : ["(opened_at, key, seq) > (:openedAt, :afterKey, :afterSeq)"]),
    ...(heads
      ? [
          `NOT EXISTS (SELECT 1 FROM turn earlier
             WHERE earlier.key = turn.key AND earlier.seq < turn.seq AND earlier.${isOpen})`,
        ]
      : []),
  ];
  return yield* selectTurns(
    db,
    `WHERE ${conditions.join(" AND ")} ORDER BY opened_at, key, seq LIMIT :limit`,
    {
      ...(key === undefined ? {} : { key }),
      ...(run === undefined ? {} : { run }),
      ...owners,
      ...(after === undefined
        ? {}
        : { openedAt: after.openedAt, afterKey: after.request.key, afterSeq: after.seq }),
      limit,
    },
  );
};

export const findQuestions: Verb<"findQuestions"> = function* (db, prefix, limit) {
  return (yield* db.all<{ id: string }>(
    `SELECT id FROM turn
       WHERE id >= :prefix AND id < :end AND asked_at IS NOT NULL ORDER BY id LIMIT :limit`,
    { prefix, end: `${prefix}\u{10ffff}`, limit },
  )).map(({ id }) => id);
};

export const listQuestions: Verb<"listQuestions"> = function* (db, query) {
  const { run, all = false, after, limit } = query;
  const conditions = [
    // Each written exactly as in one of the partial indexes.
    all ? "asked_at IS NOT NULL" : "status = 'waiting'",
    ...(run === undefined ? [] : ["request -> 'origin' ->> 'run' = :run"]),
    ...(after === undefined ? [] : [`(asked_at, id) ${all ? "<" : ">"} (:openedAt, :id)`]),
  ];
  const order = all ? "asked_at DESC, id DESC" : "asked_at, id";
  return yield* selectTurns(
    db,
    `WHERE ${conditions.join(" AND ")} ORDER BY ${order} LIMIT :limit`,
    {
      ...(run === undefined ? {} : { run }),
      ...(after === undefined ? {} : { openedAt: after.openedAt, id: after.id }),
      limit,
    },
  );
};

// The queue and the leases of a session.

/** The key's open turn with the lowest number. */
export function* firstInQueue(db: Db, key: string): Query<Turn | null> {
  return (
    (yield* selectTurns(db, `WHERE key = :key AND ${isOpen} ORDER BY seq LIMIT 1`, { key }))[0] ??
    null
  );
}

/** A queued turn that any process may run now: of this key, else the oldest of any key. */
export function* nextInQueue(db: Db, key: string): Query<Turn | null> {
  const ahead = "ahead.key = turn.key AND ahead.seq < turn.seq";
  const [next] = yield* selectTurns(
    db,
    `WHERE ${isOpen} AND status = 'queued' AND (acknowledged = 1 OR owner IS NULL)
       AND NOT EXISTS (SELECT 1 FROM turn AS ahead WHERE ${ahead} AND ahead.${isOpen})
     ORDER BY key <> :key, opened_at, key, seq LIMIT 1`,
    { key },
  );
  return next ?? null;
}

/**
 * Selects the leases that a turn of (key, agent) needs: its key, its handle (which two keys may share), and the
 * handle that a provider's program will fork, which must not change meanwhile.
 */
const leaseNames = `SELECT 'key:' || CAST(:key AS TEXT) AS name
  UNION
  SELECT 'handle:' || provider || ':' || handle FROM pin WHERE key = :key AND agent = :agent
  UNION
  SELECT 'handle:' || provider || ':' || (data -> 'fork' -> 'source' ->> 'id') FROM pin
  WHERE key = :key AND agent = :agent AND data -> 'fork' ->> 'by' = 'command'
    AND data -> 'fork' -> 'source' ->> 'id' IS NOT NULL`;

/** Whose leases they are. */
interface Leased {
  readonly key: string;
  readonly agent: string;
}

/**
 * An open turn of this key, or else of another key with the same provider session; `own` is not counted among those of
 * the key. Locks the leases before it looks.
 */
export function* inUseBy(db: Db, { key, agent }: Leased, own?: string): Query<Turn | null> {
  const names = { key, agent };
  yield* db.lock(leaseNames, names);
  const held = `SELECT turn FROM lease WHERE name IN (${leaseNames}) LIMIT 1`;
  const [first, [holder]] = yield* together(
    firstInQueue(db, key),
    selectTurns(db, `WHERE id = (${held})`, names),
  );
  return first === null || first.id === own ? (holder ?? null) : first;
}

export function* takeLeases(db: Db, turn: string, { key, agent }: Leased): Query<void> {
  yield* db.run(`INSERT INTO lease (name, turn) SELECT name, :turn FROM (${leaseNames}) AS named`, {
    turn,
    key,
    agent,
  });
}

export function* releaseLeases(db: Db, turn: string): Query<void> {
  yield* db.run("DELETE FROM lease WHERE turn = :turn", { turn });
}
