/** The SQLite implementation of the Store contract: one file, shared by any number of processes. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Store } from "../store.ts";
import { storeOn } from "../verbs/store.ts";
import { SqliteConnection, type SqliteOptions } from "./connection.ts";
import { createDatabaseFile } from "./database/database-file.ts";
import { databaseStore } from "./database/verbs.ts";
import { emptyError, storeError } from "./errors.ts";
import { migrate, requireKnownSchema } from "./migrations/migrations.ts";
import { transactionsOn } from "./transactions.ts";

/**
 * Opens the database, and creates it if there is none.
 *
 * @throws StoreError `store-newer`, `store-moved`, `store-corrupt`, `store-busy`, `store-full`,
 * `store-not-writable` or `store-io`; then nothing on the disk is changed.
 */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const file = resolve(path);
  try {
    if (!existsSync(file)) createDatabaseFile(file, (draft) => connect(draft, options).close());
    if (statSync(file).size === 0) throw emptyError(file);
    return sqliteStore(connect(file, options));
  } catch (error) {
    throw storeError(error, file);
  }
}

function connect(file: string, options: SqliteOptions): SqliteConnection {
  // SQLite would open a read-only file and fail only at the first write.
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
  accessSync(file, constants.R_OK | constants.W_OK);
  const connection = new SqliteConnection(file, options);
  try {
    requireKnownSchema(connection);
    connection.exec("PRAGMA journal_mode = WAL");
    migrate(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function sqliteStore(connection: SqliteConnection): Store {
  return { ...storeOn(transactionsOn(connection)), ...databaseStore(connection) };
}
