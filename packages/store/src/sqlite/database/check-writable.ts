/** Checks that the database can grow: writes something to the disk and deletes it again. */

import type { SqliteConnection } from "../connection.ts";

/** More than a turn without a checkpoint writes. */
const bytes = 64 * 1024;

/** Two transactions: what one transaction inserts and deletes never reaches the disk. */
export function checkWritable(connection: SqliteConnection): void {
  const written = connection.write(() =>
    connection.get<{ id: number }>(
      "INSERT INTO scratch (bytes) VALUES (zeroblob(:bytes)) RETURNING id",
      {
        bytes,
      },
    ),
  );
  // Also removes what an earlier check left behind because it died in between.
  connection.write(
    () => connection.run("DELETE FROM scratch WHERE id <= :id", { id: written?.id ?? 0 }),
    "buffered",
  );
}
