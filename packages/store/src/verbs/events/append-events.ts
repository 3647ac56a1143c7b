/** Appends events to a stream, together with the due rows that follow from them. */

import { StoreError } from "@reprise/core/errors/errors";
import { insertDue } from "../due/due.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { insertEvent, lastStreamSeq } from "./event.ts";

export const appendEvents: Verb<"appendEvents"> = function* (
  db,
  { stream, expectedSeq, events, due, at },
) {
  yield* lockName(db, stream);
  const last = yield* lastStreamSeq(db, stream);
  if (last !== expectedSeq)
    throw new StoreError(
      "conflict",
      `The stream ${stream} is at ${last}, not at ${expectedSeq}.`,
      "Read the events that were appended meanwhile, then decide again.",
    );
  for (const [index, event] of events.entries())
    yield* insertEvent(db, { stream, streamSeq: last + 1 + index, event, at });
  for (const row of due) yield* insertDue(db, row);
  return last + events.length;
};
