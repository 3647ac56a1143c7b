/** Records the machine's boot in which the database is used; a new boot skips numbers of events. */

import type { Db } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { lastEvent } from "../events/read-events.ts";
import type { Verb } from "../verb.ts";

/** More than the number of events that can be written before they reach the disk. */
const skippedNumbers = 1_000_000;

export function isBoot(db: Db, boot: string): boolean {
  return db.get("SELECT id FROM boot WHERE id = :boot", { boot }) !== undefined;
}

export const recordBoot: Verb<"recordBoot"> = (db, { boot, at }) => {
  // Another process may have recorded it first.
  if (isBoot(db, boot)) return false;
  const isFirst = db.get("SELECT id FROM boot") === undefined;
  db.run("DELETE FROM boot");
  db.run("INSERT INTO boot (id) VALUES (:boot)", { boot });
  const last = lastEvent(db);
  // If no event is left, some may have been lost, unless the database was never used before.
  if (isFirst && last === 0) return true;
  const seq = last + skippedNumbers;
  appendEvent(db, "home", { type: "home.booted", data: {} }, at, seq);
  return true;
};

/** The next open treats the database as after a reboot. */
export function forgetBoot(db: Db): void {
  db.run("UPDATE boot SET id = ''");
}
