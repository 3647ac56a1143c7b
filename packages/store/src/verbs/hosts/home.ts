/** The home that uses the store. */

import type { StoreHome } from "../../contract/hosts.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";

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
