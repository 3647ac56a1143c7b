/** Resolves open inbox items: removes their deadlines, and releases the sessions of an ended run. */

import type { InboxItem, Resolution } from "@reprise/workflow/inbox-item";
import type { NewEvent } from "../../contract/events.ts";
import type { Db, Query } from "../db.ts";
import { removeDeadline } from "../due/due.ts";
import { type RunHead, selectHead, writeRun } from "../runs/run-row.ts";
import { selectItems } from "./inbox-row.ts";
import { handToRun, releaseAll } from "./item-hold.ts";

/** True at the deadline itself. */
export function isOverdue({ deadline }: InboxItem, at: number): boolean {
  return deadline !== null && deadline <= at;
}

/** Appends the event to the run and makes it running. */
export function* resolveItem(db: Db, item: InboxItem, resolution: Resolution): Query<InboxItem> {
  const head = yield* selectHead(db, item.run);
  if (head === null || head.ended) throw new Error(`Item ${item.id} is open in an ended run.`);
  const { at } = resolution;
  if (item.kind === "stuck") return yield* resolveStuck(db, head, item, resolution);
  // A stuck run gets the event too, and uses it when it is retried.
  const status = head.status === "stuck" ? "stuck" : "running";
  yield* writeRun(db, head, { events: [eventOf(item, resolution)], status, at });
  yield* handToRun(db, { item: item.id, run: item.run, sessions: item.sessions, at });
  return yield* close(db, item, resolution);
}

/** Closes the items that an ending run leaves open; `run.ended` is their only event. */
export function* closeItems(db: Db, run: string, at: number): Query<void> {
  for (const item of yield* selectItems(db, "WHERE item.run = :run", { run })) {
    if (item.resolution === null) yield* close(db, item, { how: "cancelled", at });
    yield* releaseAll(db, { item: item.id, run, sessions: item.sessions, at });
  }
}

function* close(db: Db, item: InboxItem, resolution: Resolution): Query<InboxItem> {
  const { id } = item;
  const { at } = resolution;
  yield* db.run(
    "UPDATE inbox_item SET resolved_at = :at, resolution = :resolution WHERE id = :id",
    {
      id,
      at,
      resolution: JSON.stringify(resolution),
    },
  );
  yield* removeDeadline(db, id);
  return { ...item, resolution };
}

function eventOf({ id, execution }: InboxItem, resolution: Resolution): NewEvent {
  const of = { execution, item: id };
  if (resolution.how !== "answered") return { type: "gate.expired", data: of };
  const { choice, by, comment, values } = resolution;
  return { type: "gate.answered", data: { ...of, choice, by, comment, values } };
}

/** Retries or ends a stuck run. */
function* resolveStuck(
  db: Db,
  head: RunHead,
  item: InboxItem,
  resolution: Resolution,
): Query<InboxItem> {
  if (resolution.how !== "answered") throw new Error(`Item ${item.id} has no deadline.`);
  const { choice, by, comment, at } = resolution;
  const data = { by, item: item.id, comment };
  const closed = yield* close(db, item, resolution);
  if (choice === "cancel") {
    const end = { status: "cancelled", outputs: {}, error: null } as const;
    const events = [
      { type: "run.cancelling", data },
      { type: "run.ended", data: end },
    ];
    yield* writeRun(db, head, { events, status: "cancelled", error: null, at });
    yield* closeItems(db, item.run, at);
  } else {
    const events = [{ type: "run.retried", data }];
    yield* writeRun(db, head, { events, status: "running", error: null, failures: 0, at });
  }
  return closed;
}
