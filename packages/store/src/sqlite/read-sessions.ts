/** Reads one session, or a page of them in the order of their keys. */

import type { Session } from "../store.ts";
import type { Db } from "./db.ts";
import type { Verb } from "./verb.ts";

interface SessionRow {
  key: Session["key"];
  conversation: string;
  agent: string;
  provider: string;
  epoch: number;
  archived_at: number | null;
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

export const listSessions: Verb<"listSessions"> = (db, { after = "", limit, agent }) =>
  agent === undefined
    ? selectSessions(db, "WHERE session.key > :after ORDER BY session.key LIMIT :limit", {
        after,
        limit,
      })
    : selectSessions(
        db,
        `WHERE session.agent = :agent AND session.key > :after
         ORDER BY session.key LIMIT :limit`,
        { agent, after, limit },
      );

function selectSessions(
  db: Db,
  rest: string,
  parameters: Record<string, string | number>,
): Session[] {
  const rows = db.all<SessionRow>(
    `SELECT session.key, conversation, session.agent, session.provider, epoch, archived_at, channel,
       turns, pin.handle, last_outcome, last_status, created_at, updated_at
     FROM session LEFT JOIN pin ON pin.key = session.key AND pin.agent = session.agent
     ${rest}`,
    parameters,
  );
  return rows.map(sessionFrom);
}

function sessionFrom(row: SessionRow): Session {
  return {
    key: row.key,
    conversation: row.conversation,
    agent: row.agent,
    provider: row.provider,
    epoch: row.epoch,
    archivedAt: row.archived_at,
    channel: row.channel,
    turns: row.turns,
    handle: row.handle,
    lastOutcome: row.last_outcome,
    lastStatus: row.last_status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
