/** The SQLite implementation of the Store contract: one file, shared by any number of processes. Opening it migrates it. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { DatabaseStore } from "../contract/database.ts";
import type { Store } from "../store.ts";
import { isBoot, recordBoot } from "../verbs/hosts/hosts.ts";
import { storeOn } from "../verbs/store.ts";
import {
  SqliteConnection,
  type SqliteOptions,
  schemaVersion,
  transactionsOn,
} from "./connection.ts";
import { backup } from "./database/backup.ts";
import { check } from "./database/check.ts";
import { checkWritable } from "./database/check-writable.ts";
import { createDatabaseFile } from "./database/database-file.ts";
import { emptyError, movedError, newerError, storeError } from "./errors.ts";
import { latestSchema, migrations } from "./migrations/migrations.ts";
import { movedSchema } from "./moved-mark.ts";

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

/** @throws StoreError `store-newer` or `store-moved`, having changed nothing. */
function requireKnownSchema(connection: SqliteConnection): void {
  const version = schemaVersion(connection);
  if (version === movedSchema) throw movedError(connection.path);
  if (version > latestSchema) throw newerError(connection.path, version, latestSchema);
}

/** Migrates the schema; a second process that opens the database meanwhile waits and finds it done. */
function migrate(connection: SqliteConnection): void {
  if (schemaVersion(connection) === latestSchema) return;
  connection.write(() => {
    requireKnownSchema(connection);
    for (const migration of migrations.slice(schemaVersion(connection))) connection.exec(migration);
    connection.exec(`PRAGMA user_version = ${latestSchema}`);
  });
}

/** The verbs on the database as a whole. */
function databaseStore(connection: SqliteConnection): DatabaseStore {
  const { read, write } = transactionsOn(connection);
  return {
    now: read((db) => db.now()),
    check: async (options) => connection.inspect(() => check(connection, options)),
    checkWritable: async () => checkWritable(connection),
    // Read first, so that a start usually does not wait for a writer.
    recordBoot: async (record) =>
      (await read(isBoot)(record.boot)) ? false : write(recordBoot)(record),
    changes: (since, signal) => connection.changes.after(since, signal),
    backup: (path) => backup(connection, path),
    close: async () => connection.close(),
  };
}
