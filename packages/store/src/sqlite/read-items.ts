/** Reads inbox items: one, those of a prefix, or a page of them, oldest first. */

import { selectItem, selectItems } from "./inbox-row.ts";
import type { Verb } from "./verb.ts";

export const readItem: Verb<"readItem"> = (db, id) => selectItem(db, id);

export const findItems: Verb<"findItems"> = (db, prefix, limit) =>
  db
    .all<{ id: string }>(
      "SELECT id FROM inbox_item WHERE id >= :prefix AND id < :end ORDER BY id LIMIT :limit",
      { prefix, end: `${prefix}\u{10ffff}`, limit },
    )
    .map(({ id }) => id);

export const listItems: Verb<"listItems"> = (db, { run, all = false, after, limit }) => {
  const conditions = [
    ...(run === undefined ? [] : ["item.run = :run"]),
    ...(all ? [] : ["item.resolved_at IS NULL"]),
    ...(after === undefined ? [] : ["(item.opened_at, item.id) > (:openedAt, :id)"]),
  ];
  return selectItems(
    db,
    `${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
     ORDER BY item.opened_at, item.id LIMIT :limit`,
    {
      ...(run === undefined ? {} : { run }),
      ...(after === undefined ? {} : { openedAt: after.openedAt, id: after.id }),
      limit,
    },
  );
};
