/** A run as it stands in its table, and how it is written on. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { RunStatus } from "@reprise/core/workflow/run/state";
import type { NewEvent, Run } from "../store.ts";
import type { Db } from "./db.ts";
import { insertEvent } from "./event.ts";
import { fromJson, toJson } from "./json.ts";

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
}

/** What whoever writes on must know of a run. */
export interface RunHead {
  readonly id: string;
  readonly status: RunStatus;
  readonly token: number;
  readonly seq: number;
  readonly error: ErrorView | null;
  readonly ended: boolean;
}

/** Runs for the rest of a SELECT: what comes after `FROM run`. */
export function selectRuns(
  db: Db,
  rest: string,
  parameters: Record<string, string | number | null>,
): Run[] {
  return db
    .all<RunRow>(
      `SELECT id, workflow, path, status, owner, token, seq, started_at, updated_at, ended_at, error
       FROM run ${rest}`,
      parameters,
    )
    .map(runFrom);
}

export function selectHead(db: Db, run: string): RunHead | null {
  const row = db.get<Pick<RunRow, "id" | "status" | "token" | "seq" | "error">>(
    "SELECT id, status, token, seq, error FROM run WHERE id = :run",
    { run },
  );
  return row ? { ...row, error: fromJson(row.error), ended: hasEnded(row.status) } : null;
}

interface Writing {
  readonly events: readonly NewEvent[];
  readonly status: RunStatus;
  readonly error: ErrorView | null;
  readonly at: number;
}

interface Place {
  readonly run: string;
  readonly token: number;
  readonly expectedSeq: number;
}

/**
 * Appends events to a run that is still at `expectedSeq`, in the hands of `token`, and keeps its
 * status; false when it is not so, and nothing was written. No index of the run is touched: that is
 * the way of nearly every step.
 */
export function moveRun(db: Db, { events, status, error, at, ...place }: Writing & Place): boolean {
  const { run, token, expectedSeq } = place;
  const seq = expectedSeq + events.length;
  const moved = db.run(
    `UPDATE run SET seq = :seq, updated_at = :at, error = :error
     WHERE id = :run AND token = :token AND seq = :expectedSeq AND status = :status`,
    { run, token, expectedSeq, status, seq, at, error: toJson(error) },
  );
  if (moved === 1) append(db, run, { after: expectedSeq, events, at });
  return moved === 1;
}

/** Appends events to the run's stream and writes where the run is then; returns the stream's new seq. */
export function writeRun(db: Db, head: RunHead, to: Writing): number {
  const { id, token, seq: after } = head;
  const { events, status, at } = to;
  const seq = after + events.length;
  if (status === head.status) {
    moveRun(db, { run: id, token, expectedSeq: after, ...to });
    return seq;
  }
  append(db, id, { after, events, at });
  const values = { id, seq, at, error: toJson(to.error), status };
  if (hasEnded(status))
    db.run(
      `UPDATE run SET seq = :seq, updated_at = :at, error = :error, status = :status,
         ended_at = :at, owner = NULL, token = token + 1
       WHERE id = :id`,
      values,
    );
  else
    db.run(
      `UPDATE run SET seq = :seq, updated_at = :at, error = :error, status = :status,
         ended_at = NULL
       WHERE id = :id`,
      values,
    );
  return seq;
}

function append(
  db: Db,
  run: string,
  { after, events, at }: Pick<Writing, "events" | "at"> & { readonly after: number },
): void {
  const stream = `run:${run}`;
  events.forEach((event, index) => {
    insertEvent(db, { stream, streamSeq: after + 1 + index, event, at });
  });
}

export function hasEnded(status: RunStatus): boolean {
  return status !== "running" && status !== "waiting";
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
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}
