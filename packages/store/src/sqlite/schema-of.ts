/** The version of a database's schema, without opening a store, which would migrate it. */

import { DatabaseSync } from "node:sqlite";
import { storeError } from "./errors.ts";

export function schemaOf(path: string): number {
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    return Number(database.prepare("PRAGMA user_version").get()?.user_version);
  } catch (error) {
    throw storeError(error, path);
  }
}
