/** Reads the event log, or one stream of it, after a seq. */

import type { StoredEvent } from "../../contract/events.ts";
import type { Verb } from "../verb.ts";

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
