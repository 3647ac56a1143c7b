/** Checks that the database can grow: writes something to the disk and deletes it again. */

import type { Db } from "../db.ts";

/** More than a turn without a checkpoint writes. */
const bytes = 64 * 1024;

/** Two transactions: what one transaction inserts and deletes never reaches the disk. */
export function checkWritable(db: Db): void {
  const written = db.write(() =>
    db.get<{ id: number }>("INSERT INTO scratch (bytes) VALUES (zeroblob(:bytes)) RETURNING id", {
      bytes,
    }),
  );
  // Also removes what an earlier check left behind because it died in between.
  db.write(
    () => db.run("DELETE FROM scratch WHERE id <= :id", { id: written?.id ?? 0 }),
    "buffered",
  );
}
