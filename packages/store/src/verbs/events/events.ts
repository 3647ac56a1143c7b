/** The log of events: how it is written and read. */

import { StoreError } from "@reprise/core/errors/errors";
import type { DoneBy, NewEvent, StoredEvent } from "../../contract/events.ts";
import type { Db, Parameters, Query } from "../db.ts";
import { insertDue } from "../due/due.ts";
import { lockName } from "../row.ts";
import type { Verb } from "../verb.ts";

// The event log: the only place that writes to it, and so the only place that redacts.

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
function* hasEvent(db: Db, stream: string, event: NewEvent, at: number): Query<boolean> {
  const row = yield* db.get(
    `SELECT seq FROM event
     WHERE stream = :stream AND type = :type AND at = :at AND CAST(data AS TEXT) = :data`,
    { ...values(db, event), stream, at },
  );
  return row !== undefined;
}

function* lastStreamSeq(db: Db, stream: string): Query<number> {
  const row = yield* db.get<{ last: number | null }>(
    "SELECT max(stream_seq) AS last FROM event WHERE stream = :stream",
    { stream },
  );
  return row?.last ?? 0;
}

/** Appends events to a stream, together with the due rows that follow from them. */
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

// Reads the event log, or one stream of it, after a seq.

interface EventRow {
  seq: number;
  stream: string;
  stream_seq: number;
  type: string;
  at: number;
  data: string;
}

export const readEvents: Verb<"readEvents"> = function* (db, { after, limit, stream }) {
  const columns = "seq, stream, stream_seq, type, at, data";
  const rows =
    stream === undefined
      ? yield* db.all<EventRow>(
          `SELECT ${columns} FROM event WHERE seq > :after AND ${db.dialect.isVisible}
           ORDER BY seq LIMIT :limit`,
          { after, limit },
        )
      : yield* db.all<EventRow>(
          // A follower passes the last event it has, usually one of this stream. The order is that of the stream.
          `SELECT ${columns} FROM event
           WHERE stream = :stream AND stream_seq > coalesce(
             (SELECT stream_seq FROM event WHERE seq = :after AND stream = :stream),
             (SELECT max(stream_seq) FROM event WHERE stream = :stream AND seq <= :after), 0)
           ORDER BY stream_seq LIMIT :limit`,
          { stream, after, limit },
        );
  return rows.map(eventFrom);
};

export const lastEvent: Verb<"lastEvent"> = function* (db) {
  return (
    (yield* db.get<{ last: number | null }>(
      `SELECT max(seq) AS last FROM event WHERE ${db.dialect.isVisible}`,
    ))?.last ?? 0
  );
};

function eventFrom({ seq, stream, stream_seq, type, at, data }: EventRow): StoredEvent {
  return { seq, stream, streamSeq: stream_seq, type, data: JSON.parse(data), at };
}

/** Appends one event to the end of a stream, for what happened outside the store. */
export const recordEvent: Verb<"recordEvent"> = function* (db, { stream, event, at }) {
  yield* lockName(db, stream);
  if (yield* hasEvent(db, stream, event, at)) return;
  yield* appendEvent(db, stream, event, at);
};
