/** The event log: the only place that writes to it, and so the only place that redacts. */

import type { DoneBy, NewEvent } from "../../contract/events.ts";
import type { Db, Parameters, Query } from "../db.ts";
import { lockName } from "../locks.ts";

/** Appends to a stream. `seq`: its number among all events, if it is not the next one. */
export function* appendEvent(
  db: Db,
  stream: string,
  event: NewEvent,
  at: number,
  seq: number | null = null,
): Query<void> {
  yield* lockName(db, stream);
  yield* db.run(
    insertion(
      db,
      "(SELECT coalesce(max(stream_seq), 0) + 1 FROM event WHERE stream = CAST(:stream AS TEXT))",
    ),
    { ...values(db, event), stream, at, seq },
  );
}

/** For callers that have locked the stream and know its last number. */
export function* insertEvent(
  db: Db,
  {
    stream,
    streamSeq,
    event,
    at,
  }: {
    readonly stream: string;
    readonly streamSeq: number;
    readonly event: NewEvent;
    readonly at: number;
  },
): Query<void> {
  yield* db.run(insertion(db, ":streamSeq"), {
    ...values(db, event),
    stream,
    streamSeq,
    at,
    seq: null,
  });
}

function insertion({ dialect }: Db, streamSeq: string): string {
  return `INSERT INTO event (seq, stream, stream_seq, type, at, data)
     VALUES (${dialect.eventSeq}, :stream, ${streamSeq}, :type, :at, :data)`;
}

function values({ redact }: Db, { type, data }: NewEvent): Parameters {
  return { type, data: redact(JSON.stringify(data)) };
}

/** `by` for the data of an event, left out if unknown. */
export function doneBy({ by }: DoneBy): DoneBy {
  return by == null ? {} : { by };
}

/** Whether the stream has this event with this time. */
export function* hasEvent(db: Db, stream: string, event: NewEvent, at: number): Query<boolean> {
  const row = yield* db.get(
    `SELECT seq FROM event
     WHERE stream = :stream AND type = :type AND at = :at AND CAST(data AS TEXT) = :data`,
    { ...values(db, event), stream, at },
  );
  return row !== undefined;
}

export function* lastStreamSeq(db: Db, stream: string): Query<number> {
  const row = yield* db.get<{ last: number | null }>(
    "SELECT max(stream_seq) AS last FROM event WHERE stream = :stream",
    { stream },
  );
  return row?.last ?? 0;
}
