/** Writes a session that does not begin with a turn: a fork, an import or an adopted conversation. */

import { TerminalError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import type { NewSession } from "../../contract/sessions.ts";
import { type WithPacked, writeCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/events.ts";
import { lockName, lockSession } from "../row.ts";
import { writePin } from "./read-sessions.ts";
import { writeMessages } from "./transcript.ts";

export function* createSession(db: Db, creation: WithPacked<NewSession>): Query<void> {
  const { key, agent, provider, how, from, messages, pin, checkpoint, at } = creation;
  yield* lockSession(db, key);
  if (pin) yield* lockName(db, `handle:${provider}:${pin.handle.id}`);
  if (pin) yield* requireUnused(db, provider, pin.handle.id);
  const created = yield* db.change(
    `INSERT INTO session (key, conversation, agent, provider, epoch, turns, created_at, updated_at, used_at)
     VALUES (:key, :key, :agent, :provider, 0, 0, :at, :at, :at)
     ON CONFLICT (key) DO NOTHING`,
    { key, agent, provider, at },
  );
  if (created === 0)
    throw new TerminalError(
      "session-exists",
      `Session ${key} already exists.`,
      "Choose another key, or purge that session first.",
    );
  const stream = `session:${key}`;
  yield* appendEvent(db, stream, { type: "session.created", data: { key, agent, provider } }, at);
  yield* writeMessages(db, key, messages);
  yield* appendEvent(
    db,
    stream,
    { type: `session.${how}`, data: { from, messages: messages.length } },
    at,
  );
  const origin = { id: "", key, agent, provider, stream };
  if (pin) yield* writePin(db, origin, pin, at);
  if (checkpoint) yield* writeCheckpoint(db, origin, { checkpoint, newest: null, at });
}

/** A provider session continues only one key, and a retired one none. */
function* requireUnused(db: Db, provider: string, handle: string): Query<void> {
  const retired = yield* db.get<{ reason: string }>(
    "SELECT reason FROM retired_handle WHERE provider = :provider AND handle = :handle",
    { provider, handle },
  );
  if (retired)
    throw new TerminalError(
      "handle-retired",
      `The ${provider} session ${handle} is retired (${retired.reason}).`,
      "It is never used again; start another conversation.",
    );
  const pinned = yield* db.get<{ key: string }>(
    "SELECT key FROM pin WHERE provider = :provider AND handle = :handle",
    { provider, handle },
  );
  if (pinned)
    throw new TerminalError(
      "handle-pinned",
      `The ${provider} session ${handle} already continues session ${pinned.key}.`,
      `Send to ${pinned.key}, or fork it with ${verb("sessions.fork", { key: pinned.key, newKey: slot("NEWKEY") })}.`,
    );
}
