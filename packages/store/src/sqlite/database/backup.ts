/** Copies the database to another file and counts what is in the copy. */

import type { Store } from "../../store.ts";
import { forgetBoot } from "../../verbs/hosts/hosts.ts";
import { complete, SqliteConnection, schemaVersion } from "../connection.ts";
import { copyDatabase } from "./copy-database.ts";

/** Uses its own connection, so that the store's verbs do not wait for the copy. */
export async function backup(
  connection: SqliteConnection,
  path: string,
): ReturnType<Store["backup"]> {
  await copyDatabase(connection.path, path);
  const copy = new SqliteConnection(path, {});
  try {
    const count = (table: string) =>
      copy.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0;
    // Numbers of events that are written after the copy must not be used again.
    complete(forgetBoot(copy.db));
    // Without a write-ahead log, so that the copy is one file.
    copy.exec("PRAGMA journal_mode = DELETE");
    return { schema: schemaVersion(copy), sessions: count("session"), turns: count("turn") };
  } finally {
    copy.close();
  }
}
