/** Holds a session under a name; holding it again with another reason replaces the reason. */

import { appendEvent } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { requireSession } from "./require-session.ts";

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
