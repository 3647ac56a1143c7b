/** Reads one session, a page of them, or how many there are. */

import { storedFolders } from "@reprise/core/session/places";
import type { Session, SessionHold, SessionSelection } from "../../contract/sessions.ts";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../json.ts";
import { isOpen } from "../turns/turn-row.ts";
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
  const rows = yield* db.all<SessionRow>(
    `SELECT session.key, conversation, session.agent, session.provider, epoch, archived_at, settings, compaction, channel,
       turns, pin.handle, last_outcome, last_status, coalesce(${openStatus}, last_status) AS status,
       created_at, updated_at
     FROM ${joined}
     ${rest}`,
    parameters,
  );
  const sessions: Session[] = [];
  for (const row of rows) sessions.push(sessionFrom(row, yield* holdsOf(db, row.key)));
  return sessions;
}

function* holdsOf(db: Db, key: string): Query<SessionHold[]> {
  return yield* db.all<SessionHold>(
    'SELECT holder AS "by", reason, at FROM hold WHERE key = :key ORDER BY at, holder',
    { key },
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
