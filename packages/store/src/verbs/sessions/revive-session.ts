/** Makes an archived session usable again. This counts as use, otherwise the next prune would archive it at once. */

import { appendEvent, doneBy } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { requireSession } from "./require-session.ts";

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
