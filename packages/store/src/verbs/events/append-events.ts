/** Appends events to a stream, together with the due rows that follow from them. */

import { StoreError } from "@reprise/core/errors/errors";
import { insertDue } from "../due/due.ts";
import type { Verb } from "../verb.ts";
import { insertEvent, lastStreamSeq } from "./event.ts";

export const appendEvents: Verb<"appendEvents"> = function* (
  db,
  { stream, expectedSeq, events, due, at },
) {
  let last = yield* lastStreamSeq(db, stream);
  if (last !== expectedSeq)
    throw new StoreError(
      "conflict",
      `The stream ${stream} is at ${last}, not at ${expectedSeq}.`,
      "Read the events that were appended meanwhile, then decide again.",
    );
  for (const event of events) {
    last += 1;
    yield* insertEvent(db, { stream, streamSeq: last, event, at });
  }
  for (const row of due) yield* insertDue(db, row);
  return last;
};
