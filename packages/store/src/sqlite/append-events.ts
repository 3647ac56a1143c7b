/** Appends what happened to a stream, together with what is due because of it. */

import { StoreError } from "@reprise/core/errors/errors";
import { insertDue } from "./due.ts";
import { appendEvent, lastStreamSeq } from "./event.ts";
import type { Verb } from "./verb.ts";

export const appendEvents: Verb<"appendEvents"> = (
  db,
  { stream, expectedSeq, events, due, at },
) => {
  let last = lastStreamSeq(db, stream);
  if (last !== expectedSeq)
    throw new StoreError(
      "conflict",
      `The stream ${stream} is at ${last}, not at ${expectedSeq}.`,
      "Read what was appended meanwhile, and decide again.",
    );
  for (const event of events) last = appendEvent(db, stream, event, at);
  for (const row of due) insertDue(db, row);
  return last;
};
