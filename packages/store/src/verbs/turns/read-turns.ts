/** Reads turns: by id, by prefix, those of a key, all open ones, or those that asked a question. */

import type { Verb } from "../verb.ts";
import { isOpen } from "./queue.ts";
import { selectTurn, selectTurns } from "./turn-row.ts";

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

export const listOpenTurns: Verb<"listOpenTurns"> = function* (db) {
  return yield* selectTurns(db, `WHERE ${isOpen} ORDER BY opened_at, key, seq`, {});
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
