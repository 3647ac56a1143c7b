/** Records that a session's provider session has moved. */

import { BusyError } from "@reprise/core/errors/errors";
import { storedPin } from "@reprise/core/session/places";
import { appendEvent, doneBy } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import { leaseHolder, leaseNames } from "../turns/queue.ts";
import type { Verb } from "../verb.ts";
import { requireFree, requireSession } from "./require-session.ts";

export const movePin: Verb<"movePin"> = function* (db, { key, version, to, at, by }) {
  yield* lockSession(db, key);
  yield* requireFree(db, yield* requireSession(db, key));
  const { agent, folder, handle } = to;
  const holder = yield* leaseHolder(db, yield* leaseNames(db, key, agent));
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
