/** Reads inbox items: by id, by prefix, or a page of them (open ones oldest first, all of them newest first). */

import type { Verb } from "../verb.ts";
import { selectItem, selectItems } from "./inbox-row.ts";

export const readItem: Verb<"readItem"> = function* (db, id) {
  return yield* selectItem(db, id);
};

export const findItems: Verb<"findItems"> = function* (db, prefix, limit) {
  return (yield* db.all<{ id: string }>(
    "SELECT id FROM inbox_item WHERE id >= :prefix AND id < :end ORDER BY id LIMIT :limit",
    { prefix, end: `${prefix}\u{10ffff}`, limit },
  )).map(({ id }) => id);
};

export const listItems: Verb<"listItems"> = function* (db, query) {
  const { run, all = false, overdueAt, after, limit } = query;
  const conditions = [
    ...(run === undefined ? [] : ["item.run = :run"]),
    ...(all ? [] : ["item.resolved_at IS NULL"]),
    ...(overdueAt === undefined ? [] : ["item.deadline <= :overdueAt"]),
    ...(after === undefined
      ? []
      : [`(item.opened_at, item.id) ${all ? "<" : ">"} (:openedAt, :id)`]),
  ];
  const order = all ? "item.opened_at DESC, item.id DESC" : "item.opened_at, item.id";
  return yield* selectItems(
    db,
    `${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
     ORDER BY ${order} LIMIT :limit`,
    {
      ...(run === undefined ? {} : { run }),
      ...(overdueAt === undefined ? {} : { overdueAt }),
      ...(after === undefined ? {} : { openedAt: after.openedAt, id: after.id }),
      limit,
    },
  );
};
