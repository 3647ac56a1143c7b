/** Reads and writes runs in their table. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { RunStatus } from "@reprise/workflow/run/state";
import type { NewEvent } from "../../contract/events.ts";
import type { Run } from "../../contract/runs.ts";
import type { Db, Query } from "../db.ts";
import { insertEvent } from "../events/events.ts";
import { fromJson, isOwnedBy, namedOwners, toJson } from "../row.ts";
import type { Verb } from "../verb.ts";

interface RunRow {
  id: string;
  workflow: string;
  path: string | null;
  status: RunStatus;
  owner: string | null;
  token: number;
  seq: number;
  started_at: number;
  updated_at: number;
  ended_at: number | null;
  error: string | null;
  failures: number;
}

/** What a writer must know of a run. */
export interface RunHead {
  readonly id: string;
  readonly status: RunStatus;
  readonly token: number;
  readonly seq: number;
  /** As stored, in JSON. */
  readonly error: string | null;
  readonly failures: number;
  readonly ended: boolean;
}

/** Written exactly as in the partial index `run_carried`, so that SQLite uses that index. */
export const isActive = "ended_at IS NULL AND (owner IS NOT NULL OR status = 'running')";

const last = "SELECT max(stream_seq) FROM event WHERE stream = 'run:' || run.id";

/** `rest`: what follows `FROM run` in the SELECT. */
export function* selectRuns(
  db: Db,
  rest: string,
  parameters: Record<string, string | number | null>,
): Query<Run[]> {
  return (yield* db.all<RunRow>(
    `SELECT id, workflow, path, status, owner, token, started_at, ended_at, error, failures,
         (${last}) AS seq,
         (SELECT at FROM event WHERE stream = 'run:' || run.id AND stream_seq = (${last})) AS updated_at
       FROM run ${rest}`,
    parameters,
  )).map(runFrom);
}

export function* selectHead(db: Db, run: string): Query<RunHead | null> {
  const row = yield* db.get<Pick<RunRow, "id" | "status" | "token" | "seq" | "error" | "failures">>(
    `SELECT id, status, token, error, failures, (${last}) AS seq FROM run WHERE id = :run`,
    { run },
  );
  return row ? { ...row, ended: hasEnded(row.status) } : null;
}

interface Writing {
  readonly events: readonly NewEvent[];
  readonly status: RunStatus;
  /** Default: unchanged. */
  readonly error?: ErrorView | null;
  /** Default: unchanged. */
  readonly failures?: number;
  readonly at: number;
}

/**
 * Appends events to the run's stream and returns the stream's new seq. The row is written only if its status
 * or error changes, which is rare.
 */
export function* writeRun(
  db: Db,
  head: RunHead,
  { events, status, error, failures, at }: Writing,
): Query<number> {
  const { id, seq: after } = head;
  yield* append(db, id, { after, events, at });
  const text = error === undefined ? head.error : toJson(error);
  if (status !== head.status) yield* changeStatus(db, { id, status, error: text, at });
  else if (text !== head.error)
    yield* db.run("UPDATE run SET error = :error WHERE id = :id", { id, error: text });
  if (failures !== undefined && failures !== head.failures)
    yield* db.run("UPDATE run SET failures = :failures WHERE id = :id", { id, failures });
  return after + events.length;
}

interface Change {
  readonly id: string;
  readonly status: RunStatus;
  readonly error: string | null;
  readonly at: number;
}

/** A run that has ended or is stuck has no owner. */
function* changeStatus(db: Db, { at, ...values }: Change): Query<void> {
  if (values.status === "stuck")
    yield* db.run(
      `UPDATE run SET status = :status, error = :error, ended_at = NULL, owner = NULL,
         token = token + 1
       WHERE id = :id`,
      values,
    );
  else if (hasEnded(values.status))
    yield* db.run(
      `UPDATE run SET status = :status, error = :error, ended_at = :at, owner = NULL,
         token = token + 1
       WHERE id = :id`,
      { ...values, at },
    );
  else
    yield* db.run(
      "UPDATE run SET status = :status, error = :error, ended_at = NULL WHERE id = :id",
      values,
    );
}

function* append(
  db: Db,
  run: string,
  { after, events, at }: Pick<Writing, "events" | "at"> & { readonly after: number },
): Query<void> {
  const stream = `run:${run}`;
  for (const [index, event] of events.entries())
    yield* insertEvent(db, { stream, streamSeq: after + 1 + index, event, at });
}

export function hasEnded(status: RunStatus): boolean {
  return status !== "running" && status !== "waiting" && status !== "stuck";
}

function runFrom(row: RunRow): Run {
  return {
    id: row.id,
    workflow: row.workflow,
    path: row.path,
    status: row.status,
    owner: fromJson(row.owner),
    token: row.token,
    seq: row.seq,
    error: fromJson(row.error),
    failures: row.failures,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}

/** Reads runs: by id, by prefix, a page of them, or of the active ones. */
export const readRun: Verb<"readRun"> = function* (db, id) {
  return (yield* selectRuns(db, "WHERE id = :id", { id }))[0] ?? null;
};

export const findRuns: Verb<"findRuns"> = function* (db, prefix, limit) {
  return (yield* db.all<{ id: string }>(
    "SELECT id FROM run WHERE id >= :prefix AND id < :end ORDER BY id LIMIT :limit",
    { prefix, end: `${prefix}\u{10ffff}`, limit },
  )).map(({ id }) => id);
};

export const listRuns: Verb<"listRuns"> = function* (db, { status, workflow, before, limit }) {
  const conditions = [
    ...(status === undefined ? [] : ["status = :status"]),
    ...(workflow === undefined ? [] : ["workflow = :workflow"]),
    ...(before === undefined ? [] : ["(started_at, id) < (:startedAt, :id)"]),
  ];
  return yield* selectRuns(
    db,
    `${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
     ORDER BY started_at DESC, id DESC LIMIT :limit`,
    {
      ...(status === undefined ? {} : { status }),
      ...(workflow === undefined ? {} : { workflow }),
      ...(before === undefined ? {} : { startedAt: before.startedAt, id: before.id }),
      limit,
    },
  );
};

export const countRuns: Verb<"countRuns"> = function* (db, { status, workflow }) {
  const conditions = [
    ...(status === undefined ? [] : ["status = :status"]),
    ...(workflow === undefined ? [] : ["workflow = :workflow"]),
  ];
  return (yield* db.get<{ count: number }>(
    `SELECT count(*) AS count FROM run
     ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}`,
    {
      ...(status === undefined ? {} : { status }),
      ...(workflow === undefined ? {} : { workflow }),
    },
  ))!.count;
};

export const listActiveRuns: Verb<"listActiveRuns"> = function* (db, { leftBy, after, limit }) {
  const owners = namedOwners(leftBy ?? []);
  const conditions = [
    isActive,
    ...(leftBy === undefined ? [] : [isOwnedBy(owners)]),
    ...(after === undefined ? [] : ["(started_at, id) > (:startedAt, :id)"]),
  ];
  return yield* selectRuns(
    db,
    `WHERE ${conditions.join(" AND ")} ORDER BY started_at, id LIMIT :limit`,
    {
      ...owners,
      ...(after === undefined ? {} : { startedAt: after.startedAt, id: after.id }),
      limit,
    },
  );
};
