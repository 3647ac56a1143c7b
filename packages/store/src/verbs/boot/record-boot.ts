/** Records the machine's boot in which the database is used; a new boot skips numbers of events. */

import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { lastEvent } from "../events/read-events.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";

/** More than the number of events that can be written before they reach the disk. */
const skippedNumbers = 1_000_000;

export function* isBoot(db: Db, boot: string): Query<boolean> {
  return (yield* db.get("SELECT id FROM boot WHERE id = :boot", { boot })) !== undefined;
}

export const recordBoot: Verb<"recordBoot"> = function* (db, { boot, at }) {
  yield* lockName(db, "home");
  // Another process may have recorded it first.
  if (yield* isBoot(db, boot)) return false;
  const isFirst = (yield* db.get("SELECT id FROM boot")) === undefined;
  yield* db.run("DELETE FROM boot");
  yield* db.run("INSERT INTO boot (id) VALUES (:boot)", { boot });
  const last = yield* lastEvent(db);
  // If no event is left, some may have been lost, unless the database was never used before.
  if (isFirst && last === 0) return true;
  const seq = last + skippedNumbers;
  yield* appendEvent(db, "home", { type: "home.booted", data: {} }, at, seq);
  return true;
};

/** The next open treats the database as after a reboot. */
export function* forgetBoot(db: Db): Query<void> {
  yield* db.run("UPDATE boot SET id = ''");
}
