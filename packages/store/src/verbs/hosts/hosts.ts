/** The machines and containers that use the home, each with a beat that grows while a process there has it open. */

import type { HostRecord } from "../../contract/hosts.ts";
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
