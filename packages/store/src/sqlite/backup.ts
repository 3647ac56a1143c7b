/** Copies the database into a file of its own, and says what is in the copy. */

import type { Store } from "../store.ts";
import { copyDatabase } from "./copy-database.ts";
import { Db } from "./db.ts";
import { schemaVersion } from "./migrations.ts";
import { forgetBoot } from "./record-boot.ts";

/** Outside of the store's own connection, so that its verbs do not wait for the copy. */
export async function backup(db: Db, path: string): ReturnType<Store["backup"]> {
  await copyDatabase(db.path, path);
  const copy = new Db(path, {});
  try {
    const count = (table: string) =>
      copy.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0;
    // What was written after the copy was made has numbers that must not be given to anything else.
    forgetBoot(copy);
    // As one file: a copy of a database that keeps a log would begin one of its own.
    copy.exec("PRAGMA journal_mode = DELETE");
    return { schema: schemaVersion(copy), sessions: count("session"), turns: count("turn") };
  } finally {
    copy.close();
  }
}
