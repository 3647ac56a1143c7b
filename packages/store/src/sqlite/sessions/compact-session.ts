/** Records that a session is to be compacted; its next new provider session clears this. */

import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { requireReleased, requireSession } from "./require-session.ts";

export const compactSession: Verb<"compactSession"> = (db, { key, focus, at }) => {
  const session = requireSession(db, key);
  requireReleased(session);
  db.run("UPDATE session SET compaction = :compaction WHERE key = :key", {
    key,
    compaction: JSON.stringify({ focus, at: session.compaction?.at ?? at }),
  });
  if (session.compaction === null)
    appendEvent(db, `session:${key}`, { type: "session.compaction-asked", data: { focus } }, at);
  return requireSession(db, key);
};
