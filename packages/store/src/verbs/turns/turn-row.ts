/** Reads turns and their attempts from their tables. */

import type { Attempt, Turn, TurnRequest } from "@reprise/core/session/turn";
import { storedDecision } from "../../stored-decision.ts";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../json.ts";

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
export function* selectTurns(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Query<Turn[]> {
  const rows = yield* db.all<TurnRow>(
    `SELECT id, seq, (SELECT epoch FROM session WHERE session.key = turn.key) AS epoch, status,
       provider, acknowledged, owner, token, opened_at, started_at, ended_at, error, usage, notices, request, output, asked, answer, asked_at, answered_at, answered_by
     FROM turn ${rest}`,
    parameters,
  );
  if (rows.length === 0) return [];
  const attempts = yield* selectAttempts(db, rest, parameters);
  return rows.map((row) => turnFrom(row, (attempts.get(row.id) ?? []).map(attemptFrom)));
}

export function* selectTurn(db: Db, id: string): Query<Turn | null> {
  return (yield* selectTurns(db, "WHERE id = :id", { id }))[0] ?? null;
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
