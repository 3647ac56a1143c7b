/** The verbs on the database as a whole. */

import type { DatabaseStore } from "../../contract/database.ts";
import { isBoot, recordBoot } from "../../verbs/boot/record-boot.ts";
import type { SqliteConnection } from "../connection.ts";
import { transactionsOn } from "../transactions.ts";
import { backup } from "./backup.ts";
import { check } from "./check.ts";
import { checkWritable } from "./check-writable.ts";

export function databaseStore(connection: SqliteConnection): DatabaseStore {
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
