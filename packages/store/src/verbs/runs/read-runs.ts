/** Reads runs: by id, by prefix, a page of them, or of the active ones. */

import { isOwnedBy, namedOwners } from "../owned-by.ts";
import type { Verb } from "../verb.ts";
import { isActive, selectRuns } from "./run-row.ts";

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
