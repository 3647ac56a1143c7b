/** Removes everything under a key, and leaves a tombstone with the time. */

import { option } from "@reprise/core/errors/hint";
import { removeParts } from "../checkpoints/blob.ts";
import { appendEvent, doneBy } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { changedError, requireFree, requireReleased, requireSession } from "./require-session.ts";

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
