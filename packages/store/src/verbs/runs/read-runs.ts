/** Reads runs: by id, by prefix, a page of them, or all active ones. */

import type { Verb } from "../verb.ts";
import { selectRuns } from "./run-row.ts";

/** Written exactly as in the partial index `run_carried`, so that SQLite uses that index. */
export const isActive = "ended_at IS NULL AND (owner IS NOT NULL OR status = 'running')";

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

export const listActiveRuns: Verb<"listActiveRuns"> = function* (db) {
  return yield* selectRuns(db, `WHERE ${isActive} ORDER BY started_at, id`, {});
};
