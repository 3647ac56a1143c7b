/** Changes the named settings of a session; null removes one. */

import { withChanges } from "@reprise/core/settings/changes";
import { appendEvent, doneBy } from "../events/events.ts";
import { lockSession } from "../row.ts";
import type { Verb } from "../verb.ts";
import { requireSession } from "./read-sessions.ts";

export const setSession: Verb<"setSession"> = function* (db, { key, settings: changes, at, by }) {
  yield* lockSession(db, key);
  const session = yield* requireSession(db, key);
  const changed = Object.entries(changes).filter(
    ([name, value]) => (session.settings[name] ?? null) !== value,
  );
  if (changed.length === 0) return session;
  const settings = withChanges<string | number>(session.settings, changes);
  yield* db.run("UPDATE session SET settings = :settings WHERE key = :key", {
    key,
    settings: JSON.stringify(settings),
  });
  const data = { settings: Object.fromEntries(changed), ...doneBy({ by }) };
  yield* appendEvent(db, `session:${key}`, { type: "session.set", data }, at);
  return { ...session, settings };
};
