/** Records that a session is to be compacted; its next new provider session clears this. */

import { appendEvent } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { requireReleased, requireSession } from "./require-session.ts";

export const compactSession: Verb<"compactSession"> = function* (db, { key, focus, at }) {
  yield* lockSession(db, key);
  const session = yield* requireSession(db, key);
  requireReleased(session);
  yield* db.run("UPDATE session SET compaction = :compaction WHERE key = :key", {
    key,
    compaction: JSON.stringify({ focus, at: session.compaction?.at ?? at }),
  });
  if (session.compaction === null)
    yield* appendEvent(
      db,
      `session:${key}`,
      { type: "session.compaction-asked", data: { focus } },
      at,
    );
  return yield* requireSession(db, key);
};
