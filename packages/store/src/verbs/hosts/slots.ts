/** Slots for what may run at once on a host. */

import type { Slot } from "../../contract/hosts.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";

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
