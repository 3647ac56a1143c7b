/** Removes everything under a key, and leaves a tombstone with the time. */

import { BusyError, NotFoundError } from "@reprise/core/errors/errors";
import { appendEvent } from "./event.ts";
import { firstInLine } from "./line.ts";
import type { Verb } from "./verb.ts";

export const purgeSession: Verb<"purgeSession"> = (db, { key, at }) => {
  const session = db.get<{ conversation: string }>(
    "SELECT conversation FROM session WHERE key = :key",
    { key },
  );
  if (session === undefined)
    throw new NotFoundError(
      "no-session",
      `There is no session ${key}.`,
      'List the sessions with "reprise sessions list".',
    );
  const open = firstInLine(db, key);
  if (open)
    throw new BusyError(
      "busy",
      `Session ${key} is in use by turn ${open.id}.`,
      "Wait until the turn has ended, or cancel it.",
    );

  const turns = db
    .all<{ id: string }>("SELECT id FROM turn WHERE key = :key ORDER BY seq", { key })
    .map(({ id }) => id);

  // The last event of the stream stays, so neither of its numbers is ever given again.
  const stream = `session:${key}`;
  const last = appendEvent(
    db,
    stream,
    { type: "session.purged", data: { turns: turns.length } },
    at,
  );
  db.run("DELETE FROM event WHERE stream = :stream AND stream_seq < :last", { stream, last });
  db.run("DELETE FROM message WHERE conversation = :conversation", {
    conversation: session.conversation,
  });
  // Turns, attempts, leases, pins and checkpoints go with it.
  db.run("DELETE FROM session WHERE key = :key", { key });
  db.run(
    `INSERT INTO tombstone (key, at) VALUES (:key, :at)
     ON CONFLICT (key) DO UPDATE SET at = excluded.at`,
    { key, at },
  );
  return { turns };
};
