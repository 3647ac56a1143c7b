/** The secret of the store. */

import type { Db, Query } from "../db.ts";
import { lockName } from "../locks.ts";
import type { Verb } from "../verb.ts";

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
