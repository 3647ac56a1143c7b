/** Reads sessions and their pins. */

import { BusyError, NotFoundError, RefusedError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { type Pin, resolvedPin, storedFolders, storedPin } from "@reprise/core/session/pin";
import type {
  Retirement,
  Session,
  SessionHold,
  SessionSelection,
} from "../../contract/sessions.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/events.ts";
import { fromJson, together } from "../row.ts";
import type { ClaimedTurnRow } from "../turns/record-turn.ts";
import { firstInQueue, isOpen } from "../turns/turn-row.ts";
import type { Verb } from "../verb.ts";

interface SessionRow {
  key: Session["key"];
  conversation: string;
  agent: string;
  provider: string;
  epoch: number;
  archived_at: number | null;
  settings: string;
  compaction: string | null;
  channel: string | null;
  turns: number;
  handle: string | null;
  last_outcome: Session["lastOutcome"];
  last_status: Session["lastStatus"];
  status: Session["status"];
  created_at: number;
  updated_at: number;
}

export const readSession: Verb<"readSession"> = function* (db, key) {
  return (yield* selectSessions(db, "WHERE session.key = :key", { key }))[0] ?? null;
};

export const listSessions: Verb<"listSessions"> = function* (
  db,
  { order = "key", after, limit, ...filter },
) {
  const { conditions, parameters } = filterSql(db, filter);
  const last = after === undefined ? null : order === "key" ? null : yield* usedAt(db, after);
  const behind =
    after === undefined
      ? []
      : order === "key"
        ? ["session.key > :after"]
        : ["(session.used_at, session.key) < (:usedAt, :after)"];
  const sorted = order === "key" ? "session.key" : lastUsedFirst;
  return yield* selectSessions(
    db,
    `${where([...conditions, ...behind])} ORDER BY ${sorted} LIMIT :limit`,
    {
      ...parameters,
      ...(after !== undefined && { after }),
      ...(last !== null && { usedAt: last }),
      limit,
    },
  );
};

export const countSessions: Verb<"countSessions"> = function* (db, filter) {
  const { conditions, parameters } = filterSql(db, filter);
  return (yield* db.get<{ count: number }>(
    `SELECT count(*) AS count FROM ${joined} ${where(conditions)}`,
    parameters,
  ))!.count;
};

const joined = "session LEFT JOIN pin ON pin.key = session.key AND pin.agent = session.agent";

/** The status of its open turn: that of the one at work before those that wait behind it. */
const openStatus = `(SELECT status FROM turn WHERE turn.key = session.key AND ${isOpen}
  ORDER BY status = 'queued', seq LIMIT 1)`;

/** A turn at work is a use. */
export const lastUsedFirst = "session.used_at DESC, session.key DESC";

function* usedAt(db: Db, key: string): Query<number> {
  return (
    (yield* db.get<{ used_at: number }>("SELECT used_at FROM session WHERE key = :key", { key }))
      ?.used_at ?? 0
  );
}

function filterSql(
  { home }: Pick<Db, "home">,
  { agent, q, status, folder, since, ofRuns = true }: SessionSelection,
) {
  const folders = folder === undefined ? [] : storedFolders(folder, home);
  const inside = (name: string) =>
    `substr((pin.data ->> 'folder') || '/', 1, length(${name})) = ${name}`;
  return {
    conditions: [
      ...(agent === undefined ? [] : ["session.agent = :agent"]),
      ...(q === undefined ? [] : ["instr(lower(session.key || ' ' || session.agent), :q) > 0"]),
      ...(status === undefined
        ? []
        : status === "archived"
          ? ["archived_at IS NOT NULL"]
          : [`coalesce(${openStatus}, last_status) = :status`]),
      ...(folder === undefined
        ? []
        : [`(${folders.map((_, index) => inside(`:folder${index}`)).join(" OR ")})`]),
      ...(since === undefined ? [] : ["session.used_at >= :since"]),
      ...(ofRuns ? [] : ["session.key NOT LIKE 'wf:%'"]),
    ],
    parameters: {
      ...(agent !== undefined && { agent }),
      ...(q !== undefined && { q: q.toLowerCase() }),
      ...(status !== undefined && status !== "archived" && { status }),
      ...Object.fromEntries(
        folders.map((each, index) => [`folder${index}`, each.endsWith("/") ? each : `${each}/`]),
      ),
      ...(since !== undefined && { since }),
    },
  };
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
}

function* selectSessions(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Query<Session[]> {
  const [rows, holds] = yield* together(
    db.all<SessionRow>(
      `SELECT session.key, conversation, session.agent, session.provider, epoch, archived_at, settings, compaction, channel,
         turns, pin.handle, last_outcome, last_status, coalesce(${openStatus}, last_status) AS status,
         created_at, updated_at
       FROM ${joined}
       ${rest}`,
      parameters,
    ),
    db.all<SessionHold & { key: string }>(
      `SELECT key, holder AS "by", reason, at FROM hold
       WHERE key IN (SELECT session.key FROM ${joined} ${rest}) ORDER BY at, holder`,
      parameters,
    ),
  );
  const held = Map.groupBy(holds, ({ key }) => key);
  return rows.map((row) =>
    sessionFrom(
      row,
      (held.get(row.key) ?? []).map(({ by, reason, at }) => ({ by, reason, at })),
    ),
  );
}

function sessionFrom(row: SessionRow, held: SessionHold[]): Session {
  return {
    key: row.key,
    conversation: row.conversation,
    agent: row.agent,
    provider: row.provider,
    epoch: row.epoch,
    archivedAt: row.archived_at,
    held,
    settings: fromJson(row.settings),
    compaction: fromJson(row.compaction),
    channel: row.channel,
    turns: row.turns,
    handle: row.handle,
    lastOutcome: row.last_outcome,
    lastStatus: row.last_status,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Writes and reads which provider session continues a key, and which ones are retired. */
export function* writePin(
  db: Db,
  { key, agent, id, stream }: Pick<ClaimedTurnRow, "key" | "agent" | "id" | "stream">,
  pin: Pin,
  at: number,
): Query<void> {
  const { provider } = pin;
  const handle = pin.handle.id;
  yield* db.run(
    `INSERT INTO pin (key, agent, provider, handle, data)
     VALUES (:key, :agent, :provider, :handle, :data)
     ON CONFLICT (key, agent) DO UPDATE
     SET provider = excluded.provider, handle = excluded.handle, data = excluded.data,
       version = pin.version + 1`,
    { key, agent, provider, handle, data: JSON.stringify(storedPin(pin, db.home)) },
  );
  yield* appendEvent(
    db,
    stream,
    { type: "session.pinned", data: { turn: id, agent, provider, handle } },
    at,
  );
}

export function pinFrom({ home }: Pick<Db, "home">, data: string): Pin {
  return resolvedPin(fromJson<Pin>(data), home);
}

/** Keeps the first reason. */
export function* retireHandle(
  db: Db,
  { stream }: ClaimedTurnRow,
  { provider, handle, reason }: Retirement,
  at: number,
): Query<void> {
  const retired = yield* db.change(
    `INSERT INTO retired_handle (provider, handle, reason, at)
     VALUES (:provider, :handle, :reason, :at)
     ON CONFLICT (provider, handle) DO NOTHING`,
    { provider, handle, reason, at },
  );
  if (retired > 0)
    yield* appendEvent(
      db,
      stream,
      { type: "handle.retired", data: { provider, handle, reason } },
      at,
    );
}

// Checks that a session exists, is not in use and is not held.

/** @throws NotFoundError */
export function* requireSession(db: Db, key: string): Query<Session> {
  const session = yield* readSession(db, key);
  if (session) return session;
  throw new NotFoundError(
    "no-session",
    `There is no session ${key}.`,
    `List the sessions with ${verb("sessions.list")}.`,
  );
}

/** @throws BusyError while it has an open turn. */
export function* requireFree(db: Db, { key }: Session): Query<void> {
  const open = yield* firstInQueue(db, key);
  if (open)
    throw new BusyError(
      "busy",
      `Session ${key} is in use by turn ${open.id}.`,
      "Wait until the turn has ended, or cancel it.",
    );
}

/** @throws RefusedError `held` */
export function requireReleased({ key, held }: Session, otherwise = ""): void {
  const [first] = held;
  if (first === undefined) return;
  const holders = held.map(({ by, reason }) => (reason === null ? by : `${by} (${reason})`));
  throw new RefusedError(
    "held",
    `Session ${key} is held by ${holders.join(", ")}.`,
    `Release it with ${verb("sessions.release", { key, by: first.by })}${otherwise}.`,
  );
}

/** The session has changed since the caller read it. */
export function changedError(key: string): RefusedError {
  return new RefusedError(
    "changed",
    `Session ${key} was used, archived or revived meanwhile.`,
    `See ${verb("sessions.show", key)}, then try again.`,
  );
}
