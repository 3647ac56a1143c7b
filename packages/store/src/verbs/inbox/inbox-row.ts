/** Reads inbox items from their table. */

import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../json.ts";

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
