/** Opens, answers and resolves inbox items, with their deadlines and the sessions that they hold. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { InboxItem, Resolution } from "@reprise/workflow/inbox-item";
import type { NewEvent } from "../../contract/events.ts";
import type { NewItem } from "../../contract/inbox.ts";
import type { Db, Query } from "../db.ts";
import { removeDeadline } from "../due/due.ts";
import { appendEvent } from "../events/events.ts";
import { lockItem } from "../row.ts";
import { type RunHead, selectHead, writeRun } from "../runs/run-row.ts";
import type { Verb } from "../verb.ts";
import { selectItem, selectItems } from "./items.ts";

/** True at the deadline itself. */
function isOverdue({ deadline }: InboxItem, at: number): boolean {
  return deadline !== null && deadline <= at;
}

/** Appends the event to the run and makes it running. */
function* resolveItem(db: Db, item: InboxItem, resolution: Resolution): Query<InboxItem> {
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

/** Accepts the one answer to an inbox item, unless its deadline has passed. */
export const answerItem: Verb<"answerItem"> = function* (db, { item: id, at, ...answer }) {
  yield* lockItem(db, id);
  const item = yield* selectItem(db, id);
  if (item === null)
    throw new NotFoundError(
      "no-item",
      `There is no inbox item ${id}.`,
      `List what waits for an answer with ${verb("inbox.list")}.`,
    );
  if (item.resolution !== null) return { item, given: false };
  const now = yield* db.now();
  if (isOverdue(item, now))
    return { item: yield* resolveItem(db, item, { how: "expired", at: now }), given: false };
  return { item: yield* resolveItem(db, item, { how: "answered", ...answer, at }), given: true };
};

/** Resolves an inbox item whose deadline has passed. */
export const expireItem: Verb<"expireItem"> = function* (db, { item: id }) {
  yield* lockItem(db, id);
  const item = yield* selectItem(db, id);
  const at = yield* db.now();
  if (item === null || item.resolution !== null || !isOverdue(item, at)) return false;
  yield* resolveItem(db, item, { how: "expired", at });
  return true;
};

// The holds of inbox items keep their sessions unchanged until the item is answered and the run uses them.
// They are released when the run has ended.
// /

interface ItemHold {
  readonly item: string;
  readonly sessions: readonly string[];
  readonly at: number;
}

/** A session that does not exist yet needs no hold. */
function* holdForItem(
  db: Db,
  { item, run, sessions, at }: ItemHold & { run: string },
): Query<void> {
  const by = `gate:${item}`;
  const reason = `run ${run} waits for an answer`;
  for (const key of sessions) {
    const held = yield* db.change(
      `INSERT INTO hold (key, holder, reason, at)
       SELECT key, :by, :reason, :at FROM session WHERE key = :key
       ON CONFLICT (key, holder) DO NOTHING`,
      { key, by, reason, at },
    );
    if (held > 0)
      yield* appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  }
}

/** The item was answered: from now on the run holds its sessions. */
function* handToRun(db: Db, { item, run, sessions, at }: ItemHold & { run: string }): Query<void> {
  const by = `run:${run}`;
  const reason = `run ${run} continues`;
  for (const key of sessions) {
    if (!(yield* release(db, key, `gate:${item}`, at))) continue;
    const held = yield* db.change(
      `INSERT INTO hold (key, holder, reason, at) VALUES (:key, :by, :reason, :at)
       ON CONFLICT (key, holder) DO NOTHING`,
      { key, by, reason, at },
    );
    if (held > 0)
      yield* appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  }
}

/** Releases the holds of a run that has ended. */
function* releaseAll(db: Db, { item, run, sessions, at }: ItemHold & { run: string }): Query<void> {
  for (const key of sessions)
    for (const by of [`gate:${item}`, `run:${run}`]) yield* release(db, key, by, at);
}

/** False if it was not held. */
function* release(db: Db, key: string, by: string, at: number): Query<boolean> {
  if ((yield* db.change("DELETE FROM hold WHERE key = :key AND holder = :by", { key, by })) === 0)
    return false;
  yield* appendEvent(db, `session:${key}`, { type: "session.released", data: { by } }, at);
  return true;
}

/** Opens an inbox item, and holds its sessions while it is open. */
export function* openItem(db: Db, run: string, item: NewItem, at: number): Query<void> {
  yield* db.run(
    `INSERT INTO inbox_item (id, run, execution, kind, deadline, opened_at, choices, answerers,
       sessions, title, fields, message, passphrase)
     VALUES (:id, :run, :execution, :kind, :deadline, :at, :choices, :answerers, :sessions, :title,
       :fields, :message, :passphrase)`,
    {
      id: item.id,
      run,
      execution: item.execution ?? "",
      kind: item.kind,
      deadline: item.deadline,
      at,
      choices: JSON.stringify(item.choices),
      answerers: JSON.stringify(item.answerers),
      sessions: JSON.stringify(item.sessions),
      title: item.title,
      fields: JSON.stringify(item.fields),
      message: item.message,
      passphrase: item.passphrase,
    },
  );
  yield* holdForItem(db, { item: item.id, run, sessions: item.sessions, at });
}
