/** A conversation's messages, in the order in which they were recorded. */

import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { Db } from "./db.ts";
import { fromJson } from "./json.ts";
import type { Verb } from "./verb.ts";

type Row<M> = Omit<M, "opening" | "tools"> & { opening: number };

const outline = "id, role, agent, provider, turn, digest, origin, opening, at";

export const readTranscript: Verb<"readTranscript"> = (db, conversation) =>
  db
    .all<Row<Message> & { tools: string | null }>(
      `SELECT ${outline}, tools, text FROM message WHERE conversation = :conversation ORDER BY seq`,
      { conversation },
    )
    .map(({ tools, ...row }) => ({
      ...row,
      opening: row.opening === 1,
      ...(tools !== null && { tools: fromJson<string[]>(tools) }),
    }));

export function readOutline(db: Db, conversation: string): MessageOutline[] {
  return db
    .all<Row<MessageOutline>>(
      `SELECT ${outline} FROM message WHERE conversation = :conversation ORDER BY seq`,
      { conversation },
    )
    .map((row) => ({ ...row, opening: row.opening === 1 }));
}

/** A message that is already there is not written twice. */
export function writeMessages(db: Db, conversation: string, messages: readonly Message[]): void {
  for (const {
    id,
    role,
    agent,
    provider,
    turn,
    text,
    digest,
    origin,
    opening,
    tools,
    at,
  } of messages)
    db.run(
      `INSERT INTO message (conversation, id, seq, role, agent, provider, turn, digest, origin,
         opening, tools, at, text)
       VALUES (:conversation, :id,
         (SELECT coalesce(max(seq), 0) + 1 FROM message WHERE conversation = :conversation),
         :role, :agent, :provider, :turn, :digest, :origin, :opening, :tools, :at, :text)
       ON CONFLICT (conversation, id) DO NOTHING`,
      {
        conversation,
        id,
        role,
        agent,
        provider,
        turn,
        digest,
        origin,
        opening: opening ? 1 : 0,
        tools: tools === undefined ? null : JSON.stringify(tools),
        at,
        text,
      },
    );
}
