/** The verbs that keep or remove a session: archive, revive, hold, release, purge. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import type { RetentionRow } from "../../contract/sessions.ts";
import { removeParts } from "../checkpoints/checkpoint.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import { fromJson, lockSession } from "../row.ts";
import { isOpen } from "../turns/turn-row.ts";
import type { Verb } from "../verb.ts";
import { changedError, requireFree, requireReleased, requireSession } from "./read-sessions.ts";

/** Archives a session that is neither held nor in use; an archived one stays as it is. */
export const archiveSession: Verb<"archiveSession"> = function* (
  db,
  { key, reason, ifUsedAt, at, by },
) {
  yield* lockSession(db, key);
  const session = yield* requireSession(db, key);
  if (session.archivedAt !== null) return session;
  yield* requireFree(db, session);
  requireReleased(session);
  if (ifUsedAt !== undefined && session.updatedAt !== ifUsedAt) throw changedError(key);
  yield* db.run("UPDATE session SET archived_at = :at WHERE key = :key", { key, at });
  const data = { reason, ...doneBy({ by }) };
  yield* appendEvent(db, `session:${key}`, { type: "session.archived", data }, at);
  return { ...session, archivedAt: at };
};

/** Makes an archived session usable again. This counts as use, otherwise the next prune would archive it at once. */
export const reviveSession: Verb<"reviveSession"> = function* (db, { key, at, by }) {
  yield* lockSession(db, key);
  const session = yield* requireSession(db, key);
  if (session.archivedAt === null) return session;
  yield* db.run(
    `UPDATE session SET archived_at = NULL, updated_at = :at, used_at = max(used_at, :at)
     WHERE key = :key`,
    { key, at },
  );
  yield* appendEvent(db, `session:${key}`, { type: "session.revived", data: doneBy({ by }) }, at);
  return { ...session, archivedAt: null, updatedAt: at };
};

/** Holds a session under a name; holding it again with another reason replaces the reason. */
export const holdSession: Verb<"holdSession"> = function* (db, { key, by, reason, at }) {
  yield* lockSession(db, key);
  const session = yield* requireSession(db, key);
  const before = session.held.find((hold) => hold.by === by);
  if (before && before.reason === reason) return session;
  yield* db.run(
    `INSERT INTO hold (key, holder, reason, at) VALUES (:key, :by, :reason, :at)
     ON CONFLICT (key, holder) DO UPDATE SET reason = excluded.reason`,
    { key, by, reason, at },
  );
  yield* appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  return yield* requireSession(db, key);
};

/** Removes one hold of a session; other holds stay. */
export const releaseSession: Verb<"releaseSession"> = function* (db, { key, by, at }) {
  yield* lockSession(db, key);
  const { held } = yield* requireSession(db, key);
  if ((yield* db.change("DELETE FROM hold WHERE key = :key AND holder = :by", { key, by })) === 0)
    throw new NotFoundError(
      "no-hold",
      `Session ${key} is not held by ${by}.`,
      held.length === 0
        ? "It is not held at all."
        : `Name the holder with ${option("by")}: ${held.map((hold) => hold.by).join(", ")}.`,
    );
  yield* appendEvent(db, `session:${key}`, { type: "session.released", data: { by } }, at);
  return yield* requireSession(db, key);
};

// Reads what retention needs to know of a page of sessions, in the order of their keys.

interface SessionRow {
  key: string;
  updated_at: number;
  archived_at: number | null;
  settings: string;
  in_use: number;
}

export const listRetention: Verb<"listRetention"> = function* (db, { after = "", limit }) {
  const rows = yield* db.all<SessionRow>(
    `SELECT key, updated_at, archived_at, settings,
       EXISTS (SELECT 1 FROM turn WHERE turn.key = session.key AND ${isOpen}) AS in_use
     FROM session WHERE key > :after ORDER BY key LIMIT :limit`,
    { after, limit },
  );
  const holds = yield* db.all<{ key: string; holder: string }>(
    "SELECT key, holder FROM hold WHERE key > :after AND key <= :last ORDER BY key, at, holder",
    { after, last: rows.at(-1)?.key ?? after },
  );
  const holders = Map.groupBy(holds, ({ key }) => key);
  return rows.map(
    (row): RetentionRow => ({
      key: row.key,
      usedAt: row.updated_at,
      archivedAt: row.archived_at,
      heldBy: holders.get(row.key)?.map(({ holder }) => holder) ?? [],
      inUse: row.in_use > 0,
      settings: fromJson(row.settings),
    }),
  );
};

/** Removes everything under a key, and leaves a tombstone with the time. */
export const purgeSession: Verb<"purgeSession"> = function* (db, purge) {
  const { key, force, ifArchivedAt, at } = purge;
  yield* lockSession(db, key);
  const session = yield* requireSession(db, key);
  yield* requireFree(db, session);
  if (!force) requireReleased(session, `, or purge it with ${option("force")}`);
  if (ifArchivedAt !== undefined && session.archivedAt !== ifArchivedAt) throw changedError(key);

  const turns = (yield* db.all<{ id: string }>(
    "SELECT id FROM turn WHERE key = :key ORDER BY seq",
    { key },
  )).map(({ id }) => id);

  // Keep the last event of the stream, so that neither of its numbers is used again.
  const stream = `session:${key}`;
  const data = { turns: turns.length, ...doneBy(purge) };
  yield* appendEvent(db, stream, { type: "session.purged", data }, at);
  yield* db.run(
    `DELETE FROM event WHERE stream = :stream
       AND stream_seq < (SELECT max(stream_seq) FROM event WHERE stream = :stream)`,
    { stream },
  );
  yield* db.run("DELETE FROM message WHERE conversation = :conversation", {
    conversation: session.conversation,
  });
  yield* db.run("DELETE FROM call WHERE session = :key", { key });
  yield* removeParts(db, "key = :key", { key });
  // Cascades to turns, attempts, leases, pins, checkpoints and holds.
  yield* db.run("DELETE FROM session WHERE key = :key", { key });
  yield* db.run(
    `INSERT INTO tombstone (key, at) VALUES (:key, :at)
     ON CONFLICT (key) DO UPDATE SET at = excluded.at`,
    { key, at },
  );
  return { turns };
};
