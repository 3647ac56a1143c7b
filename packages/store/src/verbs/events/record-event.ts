/** Appends one event to the end of a stream, for what happened outside the store. */

import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { appendEvent, hasEvent } from "./event.ts";

export const recordEvent: Verb<"recordEvent"> = function* (db, { stream, event, at }) {
  yield* lockName(db, stream);
  if (yield* hasEvent(db, stream, event, at)) return;
  yield* appendEvent(db, stream, event, at);
};
