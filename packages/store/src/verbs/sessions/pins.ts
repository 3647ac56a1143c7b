/** The verbs that change pins outside a turn. */

import { BusyError } from "@reprise/core/errors/errors";
import { type Pin, rebasedPin, storedPin } from "@reprise/core/session/pin";
import { appendEvent, doneBy } from "../events/events.ts";
import { fromJson, lockSession } from "../row.ts";
import { inUseBy } from "../turns/turn-row.ts";
import type { Verb } from "../verb.ts";
import { pinFrom, requireFree, requireReleased, requireSession } from "./read-sessions.ts";

/** Reads the pins of every agent with a confirmed turn under a key. */
export const listPins: Verb<"listPins"> = function* (db, key) {
  return (yield* db.all<{ data: string }>("SELECT data FROM pin WHERE key = :key ORDER BY agent", {
    key,
  })).map(({ data }) => pinFrom(db, data));
};

/** Reads which provider sessions are pinned, and the key of each. */
export const findPinned: Verb<"findPinned"> = function* (db, { provider, handles }) {
  const named = Object.fromEntries(handles.map((handle, index) => [`handle${index}`, handle]));
  const names = Object.keys(named).map((name) => `:${name}`);
  if (names.length === 0) return [];
  return yield* db.all<{ handle: string; key: string }>(
    `SELECT handle, key FROM pin WHERE provider = :provider AND handle IN (${names.join(", ")})
     ORDER BY handle, key`,
    { provider, ...named },
  );
};

/** Records that a session's provider session has moved. */
export const movePin: Verb<"movePin"> = function* (db, { key, version, to, at, by }) {
  yield* lockSession(db, key);
  yield* requireFree(db, yield* requireSession(db, key));
  const { agent, folder, handle } = to;
  const holder = yield* inUseBy(db, { key, agent });
  if (holder) throw inUse(key, `turn ${holder.id} of session ${holder.request.key} has it`);
  const data = JSON.stringify(storedPin(to, db.home));
  const moved = yield* db.change(
    `UPDATE pin SET handle = :handle, data = :to, version = :version + 1
     WHERE key = :key AND agent = :agent
       AND (version = :version OR (version = :version + 1 AND CAST(data AS TEXT) = :repeated))`,
    { key, agent, version, handle: handle.id, to: data, repeated: data },
  );
  if (moved === 0) throw inUse(key, "a turn has moved it on");
  const shown = { agent, handle: handle.id, folder, place: handle.place, ...doneBy({ by }) };
  yield* appendEvent(db, `session:${key}`, { type: "session.moved", data: shown }, at);
};

function inUse(key: string, why: string): BusyError {
  return new BusyError(
    "busy",
    `The provider session of ${key} is in use: ${why}.`,
    "Try again after the turn has ended.",
  );
}

/** Changes the folder of provider sessions in their pins after the folder has moved. */
export const rebasePins: Verb<"rebasePins"> = function* (db, { from, to }) {
  let count = 0;
  for (const { key, agent, data } of yield* db.all<{ key: string; agent: string; data: string }>(
    "SELECT key, agent, data FROM pin",
  )) {
    const rebased = JSON.stringify(rebasedPin(fromJson<Pin>(data), from, to));
    if (rebased === data) continue;
    count += yield* db.change(
      "UPDATE pin SET data = :rebased, version = version + 1 WHERE key = :key AND agent = :agent",
      {
        key,
        agent,
        rebased,
      },
    );
  }
  return count;
};

/** Records that a session is to be compacted; its next new provider session clears this. */
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
