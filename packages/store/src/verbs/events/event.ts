/** The event log: the only place that writes to it, and so the only place that redacts. */

import type { NewEvent } from "../../contract/events.ts";
import type { Db, Query } from "../db.ts";

interface Inserted {
  readonly stream: string;
  readonly streamSeq: number;
  readonly event: NewEvent;
  readonly at: number;
}

/** `seq`: its number among all events, if it is not the next one. */
export function* appendEvent(
  db: Db,
  stream: string,
  event: NewEvent,
  at: number,
  seq: number | null = null,
): Query<void> {
  const { type, data } = event;
  const next = "(SELECT coalesce(max(stream_seq), 0) + 1 FROM event WHERE stream = :stream)";
  yield* db.run(
    `INSERT INTO event (seq, stream, stream_seq, type, at, data)
     VALUES (:seq, :stream, ${next}, :type, :at, :data)`,
    { seq, stream, type, at, data: db.redact(JSON.stringify(data)) },
  );
}

/** For callers that know the stream's last number. Only one transaction writes at a time, so seqs become visible in order. */
export function* insertEvent(db: Db, { stream, streamSeq, event, at }: Inserted): Query<void> {
  const { type, data } = event;
  yield* db.run(
    `INSERT INTO event (stream, stream_seq, type, at, data)
     VALUES (:stream, :streamSeq, :type, :at, :data)`,
    { stream, streamSeq, type, at, data: db.redact(JSON.stringify(data)) },
  );
}

export function* lastStreamSeq(db: Db, stream: string): Query<number> {
  const row = yield* db.get<{ last: number | null }>(
    "SELECT max(stream_seq) AS last FROM event WHERE stream = :stream",
    { stream },
  );
  return row?.last ?? 0;
}
