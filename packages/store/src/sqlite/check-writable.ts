/** Whether the database can grow: something is written to the disk and deleted again. */

import type { Db } from "./db.ts";

/** More than a turn without a checkpoint needs. */
const bytes = 64 * 1024;

/** Two transactions: what one transaction inserts and deletes never reaches the disk. */
export function checkWritable(db: Db): void {
  const written = db.write(() =>
    db.get<{ id: number }>("INSERT INTO scratch (bytes) VALUES (zeroblob(:bytes)) RETURNING id", {
      bytes,
    }),
  );
  // What an earlier check left behind, because it died in between, goes as well.
  db.write(
    () => db.run("DELETE FROM scratch WHERE id <= :id", { id: written?.id ?? 0 }),
    "buffered",
  );
}
