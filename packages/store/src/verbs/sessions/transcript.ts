/** A conversation's messages, in the order of recording, and what a decision about it needs. */

import type { Message, MessageOutline } from "@reprise/core/conversation/message";
import type { AccountLimit } from "@reprise/core/session/quota";
import type { SessionFacts } from "../../contract/sessions.ts";
import { selectPinnedCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import { limitColumns } from "../limits/limits.ts";
import { fromJson, together } from "../row.ts";
import type { ClaimedTurnRow } from "../turns/record-turn.ts";
import type { Verb } from "../verb.ts";
import { pinFrom, readSession } from "./read-sessions.ts";

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

function* readOutline(db: Db, key: string): Query<MessageOutline[]> {
  return (yield* db.all<Row<MessageOutline>>(
    `SELECT ${outline} FROM message
     WHERE conversation = (SELECT conversation FROM session WHERE key = :key) ORDER BY seq`,
    { key },
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

// Reads everything that a decision about (key, agent) needs.

interface StoredPin {
  readonly version: number;
  readonly data: string;
  readonly retired: string | null;
}

export const load: Verb<"load"> = function* (db, { key, agent, turn = "" }) {
  const [session, stored, history, checkpoint, before, launched, limits] = yield* together(
    readSession(db, key),
    db.get<StoredPin>(
      `SELECT pin.version, pin.data, retired_handle.reason AS retired
       FROM pin LEFT JOIN retired_handle
         ON retired_handle.provider = pin.provider AND retired_handle.handle = pin.handle
       WHERE pin.key = :key AND pin.agent = :agent`,
      { key, agent },
    ),
    readOutline(db, key),
    selectPinnedCheckpoint(db, { key, agent }),
    db.get<{ purged_at: number | null; asked: string | null }>(
      `SELECT (SELECT at FROM tombstone WHERE key = :key) AS purged_at, (${lastAsked}) AS asked`,
      { key, agent },
    ),
    lastLaunch(db, key, turn),
    selectLimits(db, agent),
  );
  return {
    session,
    pin: stored ? pinFrom(db, stored.data) : null,
    pinVersion: stored?.version ?? null,
    retired: stored?.retired ?? null,
    outline: history,
    checkpoint,
    purgedAt: before?.purged_at ?? null,
    askedLast: before?.asked === "question",
    lastLaunch: launched,
    limits,
  };
};

/**
 * What the agent's last turn asked, if anything. A turn that was refused or cancelled before its launch says nothing: the
 * agent never saw it.
 */
const lastAsked = `SELECT asked -> 'question' ->> 'kind' FROM turn
  WHERE key = :key AND agent = :agent AND ended_at IS NOT NULL
    AND EXISTS (SELECT 1 FROM attempt WHERE attempt.turn = turn.id AND attempt.launch IS NOT NULL)
  ORDER BY seq DESC LIMIT 1`;

function* lastLaunch(db: Db, key: string, except: string): Query<SessionFacts["lastLaunch"]> {
  const last = yield* db.get<{ turn: string; folder: string }>(
    `SELECT turn.id AS turn, attempt.launch ->> 'folder' AS folder
     FROM turn JOIN attempt ON attempt.turn = turn.id
     WHERE turn.key = :key AND turn.id <> :except AND attempt.launch IS NOT NULL
     ORDER BY turn.seq DESC, attempt.number DESC LIMIT 1`,
    { key, except },
  );
  return last ?? null;
}

/** The limits of the provider of an agent; whether one has been reset is for the caller to judge. */
function selectLimits(db: Db, agent: string): Query<AccountLimit[]> {
  return db.all<AccountLimit>(
    `SELECT ${limitColumns} FROM account_limit
     WHERE provider = (SELECT provider FROM agent WHERE name = :agent)`,
    { agent },
  );
}
