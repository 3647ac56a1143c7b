/** Records that a session's provider session has moved. */

import { BusyError } from "@reprise/core/errors/errors";
import { appendEvent, doneBy } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import { leaseHolder, leaseNames } from "../turns/queue.ts";
import type { Verb } from "../verb.ts";
import { requireFree, requireSession } from "./require-session.ts";

export const movePin: Verb<"movePin"> = function* (db, { key, from, to, at, by }) {
  yield* lockSession(db, key);
  yield* requireFree(db, yield* requireSession(db, key));
  const { agent } = from;
  const holder = yield* leaseHolder(db, yield* leaseNames(db, key, agent));
  if (holder) throw inUse(key, `turn ${holder.id} of session ${holder.request.key} has it`);
  const moved = yield* db.change(
    `UPDATE pin SET handle = :handle, data = :to
     WHERE key = :key AND agent = :agent AND CAST(data AS TEXT) IN (:from, :repeated)`,
    {
      key,
      agent,
      handle: to.handle.id,
      from: JSON.stringify(from),
      to: JSON.stringify(to),
      repeated: JSON.stringify(to),
    },
  );
  if (moved === 0) throw inUse(key, "a turn has moved it on");
  const { folder, handle } = to;
  const data = { agent, handle: handle.id, folder, place: handle.place, ...doneBy({ by }) };
  yield* appendEvent(db, `session:${key}`, { type: "session.moved", data }, at);
};

function inUse(key: string, why: string): BusyError {
  return new BusyError(
    "busy",
    `The provider session of ${key} is in use: ${why}.`,
    "Try again after the turn has ended.",
  );
}
