/** Which start of the machine the database is used in, and what a new one does to the numbers of events. */

import type { Db } from "./db.ts";
import { appendEvent } from "./event.ts";
import { lastEvent } from "./read-events.ts";
import type { Verb } from "./verb.ts";

/** More than are ever written before the disk has them, promised or not. */
const numbersLeftOut = 1_000_000;

export function isBoot(db: Db, boot: string): boolean {
  return db.get("SELECT id FROM boot WHERE id = :boot", { boot }) !== undefined;
}

export const recordBoot: Verb<"recordBoot"> = (db, { boot, at }) => {
  // Another process may have been quicker.
  if (isBoot(db, boot)) return false;
  const isFirst = db.get("SELECT id FROM boot") === undefined;
  db.run("DELETE FROM boot");
  db.run("INSERT INTO boot (id) VALUES (:boot)", { boot });
  const last = lastEvent(db);
  // Where none is left there may have been some, unless nobody has ever opened it.
  if (isFirst && last === 0) return true;
  const seq = last + numbersLeftOut;
  appendEvent(db, "home", { type: "home.booted", data: {} }, at, seq);
  return true;
};

/** Whoever opens the database next finds it as after a restart. */
export function forgetBoot(db: Db): void {
  db.run("UPDATE boot SET id = ''");
}
