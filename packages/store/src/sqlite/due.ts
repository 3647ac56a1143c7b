/** Writes what is due. */

import type { NewDue } from "../store.ts";
import type { Db } from "./db.ts";

/** The id is its identity: what is due already is not due twice. */
export function insertDue(db: Db, { id, key, at, payload }: NewDue): void {
  db.run(
    `INSERT INTO due (id, key, at, position, failures, payload)
     VALUES (:id, :key, :at, (SELECT coalesce(max(position), 0) + 1 FROM due), 0, :payload)
     ON CONFLICT (id) DO NOTHING`,
    { id, key, at, payload: JSON.stringify(payload) },
  );
}

/** What a gate's deadline is due as, so that it is gone when the gate is. */
export function removeDeadline(db: Db, item: string): void {
  db.run("DELETE FROM due WHERE id = :id", { id: `deadline:${item}` });
}
