/** Appends what happened to a stream, together with what is due because of it. */

import { StoreError } from "@reprise/core/errors/errors";
import type { NewDue } from "../store.ts";
import type { Db } from "./db.ts";
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

/** The id is its identity: what is due already is not due twice. */
function insertDue(db: Db, { id, key, at, payload }: NewDue): void {
  db.run(
    `INSERT INTO due (id, key, at, position, failures, payload)
     VALUES (:id, :key, :at, (SELECT coalesce(max(position), 0) + 1 FROM due), 0, :payload)
     ON CONFLICT (id) DO NOTHING`,
    { id, key, at, payload: JSON.stringify(payload) },
  );
}
