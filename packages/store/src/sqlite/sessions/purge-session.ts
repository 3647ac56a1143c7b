/** Removes everything under a key, and leaves a tombstone with the time. */

import { removeParts } from "../checkpoints/blob.ts";
import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { changedError, requireFree, requireReleased, requireSession } from "./require-session.ts";

export const purgeSession: Verb<"purgeSession"> = (db, { key, force, ifArchivedAt, at }) => {
  const session = requireSession(db, key);
  requireFree(db, session);
  if (!force) requireReleased(session, ", or purge it with --force");
  if (ifArchivedAt !== undefined && session.archivedAt !== ifArchivedAt) throw changedError(key);

  const turns = db
    .all<{ id: string }>("SELECT id FROM turn WHERE key = :key ORDER BY seq", { key })
    .map(({ id }) => id);

  // Keep the last event of the stream, so that neither of its numbers is used again.
  const stream = `session:${key}`;
  const last = appendEvent(
    db,
    stream,
    { type: "session.purged", data: { turns: turns.length } },
    at,
  );
  db.run("DELETE FROM event WHERE stream = :stream AND stream_seq < :last", { stream, last });
  db.run("DELETE FROM message WHERE conversation = :conversation", {
    conversation: session.conversation,
  });
  db.run("DELETE FROM call WHERE session = :key", { key });
  removeParts(db, "key = :key", { key });
  // Cascades to turns, attempts, leases, pins, checkpoints and holds.
  db.run("DELETE FROM session WHERE key = :key", { key });
  db.run(
    `INSERT INTO tombstone (key, at) VALUES (:key, :at)
     ON CONFLICT (key) DO UPDATE SET at = excluded.at`,
    { key, at },
  );
  return { turns };
};
