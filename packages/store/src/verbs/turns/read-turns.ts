/** Reads turns: by id, by prefix, those of a key, a page of open ones, or those that asked a question. */

import { isOwnedBy, namedOwners } from "../owned-by.ts";
import type { Verb } from "../verb.ts";
import { isOpen, selectTurn, selectTurns } from "./turn-row.ts";

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
