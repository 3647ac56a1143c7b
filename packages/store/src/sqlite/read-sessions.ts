/** Reads one session, or a page of them in the order of their keys. */

import type { Session, SessionHold } from "../store.ts";
import type { Db } from "./db.ts";
import { fromJson } from "./json.ts";
import type { Verb } from "./verb.ts";

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
  created_at: number;
  updated_at: number;
}

export const readSession: Verb<"readSession"> = (db, key) =>
  selectSessions(db, "WHERE session.key = :key", { key })[0] ?? null;

export const listSessions: Verb<"listSessions"> = (db, { after = "", limit, agent, q }) => {
  const conditions = [
    "session.key > :after",
    ...(agent === undefined ? [] : ["session.agent = :agent"]),
    ...(q === undefined ? [] : ["instr(lower(session.key || ' ' || session.agent), :q) > 0"]),
  ];
  return selectSessions(db, `WHERE ${conditions.join(" AND ")} ORDER BY session.key LIMIT :limit`, {
    after,
    limit,
    ...(agent !== undefined && { agent }),
    ...(q !== undefined && { q: q.toLowerCase() }),
  });
};

function selectSessions(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Session[] {
  const rows = db.all<SessionRow>(
    `SELECT session.key, conversation, session.agent, session.provider, epoch, archived_at, settings, compaction, channel,
       turns, pin.handle, last_outcome, last_status, created_at, updated_at
     FROM session LEFT JOIN pin ON pin.key = session.key AND pin.agent = session.agent
     ${rest}`,
    parameters,
  );
  return rows.map((row) => sessionFrom(row, holdsOf(db, row.key)));
}

function holdsOf(db: Db, key: string): SessionHold[] {
  return db.all<SessionHold>(
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
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
