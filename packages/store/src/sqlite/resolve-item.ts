/** Resolves open inbox items: no deadline of theirs is due then, and nothing holds the sessions of an ended run. */

import type { InboxItem, Resolution } from "@reprise/core/workflow/inbox-item";
import type { NewEvent } from "../store.ts";
import type { Db } from "./db.ts";
import { removeDeadline } from "./due.ts";
import { selectItems } from "./inbox-row.ts";
import { handToRun, releaseAll } from "./item-hold.ts";
import { selectHead, writeRun } from "./run-row.ts";

/** The deadline itself is too late. */
export function isOverdue({ deadline }: InboxItem, at: number): boolean {
  return deadline !== null && deadline <= at;
}

/** The run is told, and has something to do again. */
export function resolveItem(db: Db, item: InboxItem, resolution: Resolution): InboxItem {
  const head = selectHead(db, item.run);
  if (head === null || head.ended) throw new Error(`Item ${item.id} is open in an ended run.`);
  const { at } = resolution;
  const events = [eventOf(item, resolution)];
  writeRun(db, head, { events, status: "running", at });
  handToRun(db, { item: item.id, run: item.run, sessions: item.sessions, at });
  return close(db, item, resolution);
}

/** What a run that ends leaves open is closed; that it ended tells the rest. */
export function closeItems(db: Db, run: string, at: number): void {
  for (const item of selectItems(db, "WHERE item.run = :run", { run })) {
    if (item.resolution === null) close(db, item, { how: "cancelled", at });
    releaseAll(db, { item: item.id, run, sessions: item.sessions, at });
  }
}

function close(db: Db, item: InboxItem, resolution: Resolution): InboxItem {
  const { id } = item;
  const { at } = resolution;
  db.run("UPDATE inbox_item SET resolved_at = :at, resolution = :resolution WHERE id = :id", {
    id,
    at,
    resolution: JSON.stringify(resolution),
  });
  removeDeadline(db, id);
  return { ...item, resolution };
}

function eventOf({ id, execution }: InboxItem, resolution: Resolution): NewEvent {
  const of = { execution, item: id };
  if (resolution.how !== "answered") return { type: "gate.expired", data: of };
  const { choice, by, comment, values } = resolution;
  return { type: "gate.answered", data: { ...of, choice, by, comment, values } };
}
