/** A conversation's messages, in the order in which they were recorded. */

import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { Db } from "./db.ts";
import type { Verb } from "./verb.ts";

type Row<M> = Omit<M, "opening"> & { opening: number };

const outline = "id, role, agent, provider, turn, digest, origin, opening, at";

export const readTranscript: Verb<"readTranscript"> = (db, conversation) =>
  db
    .all<Row<Message>>(
      `SELECT ${outline}, text FROM message WHERE conversation = :conversation ORDER BY seq`,
      { conversation },
    )
    .map((row) => ({ ...row, opening: row.opening === 1 }));

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
  for (const { id, role, agent, provider, turn, text, digest, origin, opening, at } of messages)
    db.run(
      `INSERT INTO message (conversation, id, seq, role, agent, provider, turn, digest, origin,
         opening, at, text)
       VALUES (:conversation, :id,
         (SELECT coalesce(max(seq), 0) + 1 FROM message WHERE conversation = :conversation),
         :role, :agent, :provider, :turn, :digest, :origin, :opening, :at, :text)
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
        at,
        text,
      },
    );
}
