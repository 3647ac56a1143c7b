/**
 * The machines and containers that use the home, each with a beat that grows while a process there has it open, and
 * what they share: the home's record, owners, probes, the secret, slots and the machine's boot.
 */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import type { HostRecord, Slot, StoreHome } from "../../contract/hosts.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent, lastEvent } from "../events/events.ts";
import { fromJson, lockName } from "../row.ts";
import { isActive } from "../runs/run-row.ts";
import { isOpen } from "../turns/turn-row.ts";
import type { Verb } from "../verb.ts";

/** A host that was silent for this long is removed. */
const forgottenAfter = 30 * 24 * 60 * 60 * 1000;

export const beat: Verb<"beat"> = function* (db, { id, name, at }) {
  yield* db.run(
    `INSERT INTO hosts (id, name, beat, at) VALUES (:id, :name, 1, :at)
     ON CONFLICT (id) DO UPDATE SET beat = hosts.beat + 1, at = excluded.at, name = excluded.name`,
    { id, name, at },
  );
  yield* db.run("DELETE FROM hosts WHERE at < :before", { before: at - forgottenAfter });
};

export const readHost: Verb<"readHost"> = function* (db, id) {
  return (
    (yield* db.get<HostRecord>("SELECT id, name, beat, at FROM hosts WHERE id = :id", { id })) ??
    null
  );
};

export const listHosts: Verb<"listHosts"> = function* (db) {
  return yield* db.all<HostRecord>("SELECT id, name, beat, at FROM hosts ORDER BY at DESC");
};

/** The home that uses the store. */
export const recordHome: Verb<"recordHome"> = function* (db, { id, host, path, at }) {
  yield* lockName(db, "store_home");
  const recorded = yield* db.get<StoreHome>("SELECT id, host, path, at FROM store_home");
  if (recorded !== undefined) return recorded;
  const home = { id, host, path, at };
  yield* db.run(
    "INSERT INTO store_home (id, host, path, at) VALUES (:id, :host, :path, :at)",
    home,
  );
  return home;
};

/** The processes that own turns and runs. */
export const listOwners: Verb<"listOwners"> = function* (db) {
  const rows = yield* db.all<{ owner: string }>(
    `SELECT owner FROM turn WHERE ${isOpen} AND owner IS NOT NULL
     UNION SELECT owner FROM run WHERE ${isActive} AND owner IS NOT NULL`,
  );
  return rows.map(({ owner }) => fromJson<ProcessIdentity>(owner));
};

/** Cached probe results of agents' programs, by host and by path, size and time of the program. */
export const readProbe: Verb<"readProbe"> = function* (db, { host, binary }) {
  const row = yield* db.get<{ result: string }>(
    "SELECT result FROM probe WHERE host = :host AND binary_path = :binary",
    { host, binary },
  );
  return row ? JSON.parse(row.result) : null;
};

export const writeProbe: Verb<"writeProbe"> = function* (db, { host, binary, result, at }) {
  yield* db.run(
    `INSERT INTO probe (host, binary_path, result, at) VALUES (:host, :binary, :result, :at)
     ON CONFLICT (host, binary_path) DO UPDATE SET result = excluded.result, at = excluded.at`,
    { host, binary, result: JSON.stringify(result), at },
  );
};

/** The secret of the store. */
export function* readSecret(db: Db): Query<string | null> {
  return (yield* db.get<{ secret: string }>("SELECT secret FROM store_secret"))?.secret ?? null;
}

export const recordSecret: Verb<"recordSecret"> = function* (db, { secret }) {
  yield* lockName(db, "store_secret");
  const recorded = yield* readSecret(db);
  if (recorded !== null) return recorded;
  yield* db.run("INSERT INTO store_secret (secret) VALUES (:secret)", { secret });
  return secret;
};

/** Slots for what may run at once on a host. */
export const takeSlot: Verb<"takeSlot"> = function* (db, { id, host, max, at }) {
  yield* lockName(db, `slots:${host}`);
  const held = yield* db.get("SELECT 1 FROM slot WHERE id = :id", { id });
  if (held !== undefined) return true;
  const taken = yield* db.get<{ count: number }>(
    "SELECT count(*) AS count FROM slot WHERE host = :host",
    {
      host,
    },
  );
  if ((taken?.count ?? 0) >= max) return false;
  yield* db.run("INSERT INTO slot (id, host, at) VALUES (:id, :host, :at)", { id, host, at });
  return true;
};

export const freeSlot: Verb<"freeSlot"> = function* (db, id) {
  yield* db.run("DELETE FROM slot WHERE id = :id", { id });
};

export const listSlots: Verb<"listSlots"> = function* (db, host) {
  return yield* db.all<Slot>("SELECT id, host, at FROM slot WHERE host = :host ORDER BY at", {
    host,
  });
};

// Records the machine's boot in which the database is used; a new boot skips numbers of events.

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
