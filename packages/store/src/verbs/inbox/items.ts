/** Reads inbox items. */

import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../row.ts";
import type { Verb } from "../verb.ts";

// Reads inbox items from their table.

interface ItemRow {
  id: string;
  run: string;
  workflow: string;
  execution: string;
  kind: InboxItem["kind"];
  deadline: number | null;
  opened_at: number;
  choices: string;
  answerers: string;
  sessions: string;
  title: string;
  fields: string;
  resolution: string | null;
  message: string | null;
  passphrase: string | null;
}

/** `rest`: what follows `FROM inbox_item AS item` in the SELECT. */
export function* selectItems(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Query<InboxItem[]> {
  return (yield* db.all<ItemRow>(
    `SELECT item.id, item.run, run.workflow, item.execution, item.kind, item.deadline,
         item.opened_at, item.choices, item.answerers, item.sessions, item.title, item.fields,
         item.resolution, item.message, item.passphrase
       FROM inbox_item AS item JOIN run ON run.id = item.run ${rest}`,
    parameters,
  )).map(itemFrom);
}

export function* selectItem(db: Db, id: string): Query<InboxItem | null> {
  return (yield* selectItems(db, "WHERE item.id = :id", { id }))[0] ?? null;
}

function itemFrom(row: ItemRow): InboxItem {
  return {
    id: row.id,
    kind: row.kind,
    run: row.run,
    execution: row.execution === "" ? null : row.execution,
    workflow: row.workflow,
    title: row.title,
    message: row.message,
    choices: fromJson(row.choices),
    fields: fromJson(row.fields),
    answerers: fromJson(row.answerers),
    passphrase: row.passphrase,
    sessions: fromJson(row.sessions),
    deadline: row.deadline,
    openedAt: row.opened_at,
    resolution: fromJson(row.resolution),
  };
}

/** Reads inbox items: by id, by prefix, or a page of them (open ones oldest first, all of them newest first). */
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

/** Counts what waits for a person, or all that ever did: inbox items, and turns that ask. */
export const countInbox: Verb<"countInbox"> = function* (db, { run, all = false }) {
  const ofRun = (column: string) => (run === undefined ? "" : ` AND ${column} = :run`);
  return (yield* db.get<{ count: number }>(
    `SELECT
       (SELECT count(*) FROM inbox_item
        WHERE ${all ? "TRUE" : "resolved_at IS NULL"}${ofRun("run")}) +
       (SELECT count(*) FROM turn
        WHERE ${all ? "asked_at IS NOT NULL" : "status = 'waiting'"}${ofRun("request -> 'origin' ->> 'run'")})
       AS count`,
    run === undefined ? {} : { run },
  ))!.count;
};
