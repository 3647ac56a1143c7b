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

/**
 * Appends events to the run's stream and writes where the run is then; returns the stream's new seq.
 * A status that stays is not written, and no index is touched: that is the way of nearly every step.
 */
export function writeRun(
  db: Db,
  head: RunHead,
  to: {
    readonly events: readonly NewEvent[];
    readonly status: RunStatus;
    readonly error: ErrorView | null;
    readonly at: number;
  },
): number {
  const { id, status } = head;
  const { at } = to;
  let seq = head.seq;
  for (const event of to.events) {
    seq += 1;
    insertEvent(db, { stream: `run:${id}`, streamSeq: seq, event, at });
  }
  const error = toJson(to.error);
  if (to.status === status)
    db.run("UPDATE run SET seq = :seq, updated_at = :at, error = :error WHERE id = :id", {
      id,
      seq,
      at,
      error,
    });
  else if (hasEnded(to.status))
    db.run(
      `UPDATE run SET seq = :seq, updated_at = :at, error = :error, status = :status,
         ended_at = :at, owner = NULL, token = token + 1
       WHERE id = :id`,
      { id, seq, at, error, status: to.status },
    );
  else
    db.run(
      `UPDATE run SET seq = :seq, updated_at = :at, error = :error, status = :status,
         ended_at = NULL
       WHERE id = :id`,
      { id, seq, at, error, status: to.status },
    );
  return seq;
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
