/** A conversation's messages, in the order of recording. */

import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../json.ts";
import type { ClaimedTurnRow } from "../turns/require-claim.ts";
import type { Verb } from "../verb.ts";

type Row<M> = Omit<M, "opening" | "takenBack" | "tools"> & {
  opening: number;
  taken_back: string | null;
};

const outline = "id, role, agent, provider, turn, digest, origin, opening, taken_back, at";

export const readTranscript: Verb<"readTranscript"> = function* (db, conversation) {
  return (yield* db.all<Row<Message> & { tools: string | null }>(
    `SELECT ${outline}, tools, text FROM message WHERE conversation = :conversation ORDER BY seq`,
    { conversation },
  )).map(({ tools, ...row }) => ({
    ...fromRow<Message>(row),
    ...(tools !== null && { tools: fromJson<string[]>(tools) }),
  }));
};

export function* readOutline(db: Db, conversation: string): Query<MessageOutline[]> {
  return (yield* db.all<Row<MessageOutline>>(
    `SELECT ${outline} FROM message WHERE conversation = :conversation ORDER BY seq`,
    { conversation },
  )).map(fromRow);
}

function fromRow<M>({ opening, taken_back, ...row }: Row<M>) {
  return { ...row, opening: opening === 1, ...(taken_back !== null && { takenBack: taken_back }) };
}

/** Marks messages that a person took back with the turn that found it; they are kept. */
export function* takeBack(
  db: Db,
  { id: turn, conversation }: Pick<ClaimedTurnRow, "id" | "conversation">,
  ids: readonly string[],
) {
  for (const id of ids)
    yield* db.run(
      `UPDATE message SET taken_back = coalesce(taken_back, :turn)
       WHERE conversation = :conversation AND id = :id`,
      { turn, conversation, id },
    );
}

/** An existing message is not written again. */
export function* writeMessages(
  db: Db,
  conversation: string,
  messages: readonly Message[],
): Query<void> {
  for (const message of messages) {
    const { id, role, agent, provider, turn, text, digest, origin, opening, tools, at } = message;
    yield* db.run(
      `INSERT INTO message (conversation, id, seq, role, agent, provider, turn, digest, origin,
         opening, tools, taken_back, at, text)
       VALUES (:conversation, :id,
         (SELECT coalesce(max(seq), 0) + 1 FROM message WHERE conversation = :conversation),
         :role, :agent, :provider, :turn, :digest, :origin, :opening, :tools, :takenBack, :at, :text)
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
        takenBack: message.takenBack ?? null,
        at,
        text,
      },
    );
  }
}
