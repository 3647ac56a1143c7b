/** Archives a session that is neither held nor in use; an archived one stays as it is. */

import { appendEvent, doneBy } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { changedError, requireFree, requireReleased, requireSession } from "./require-session.ts";

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
