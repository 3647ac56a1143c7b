/** Writes and removes due rows. */

import type { NewDue } from "../../contract/due.ts";
import type { Db, Query } from "../db.ts";

/** An existing row with the same id stays as it is. */
export function* insertDue(db: Db, { id, key, at, payload }: NewDue): Query<void> {
  yield* db.run(
    `INSERT INTO due (id, key, at, position, failures, payload)
     VALUES (:id, :key, :at, ${db.dialect.duePosition}, 0, :payload)
     ON CONFLICT (id) DO NOTHING`,
    { id, key, at, payload: JSON.stringify(payload) },
  );
}

/** Removes the due row of a gate's deadline. */
export function* removeDeadline(db: Db, item: string): Query<void> {
  yield* db.run("DELETE FROM due WHERE id = :id", { id: `deadline:${item}` });
}
