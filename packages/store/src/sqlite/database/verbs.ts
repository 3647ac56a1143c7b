/** How the verbs on the whole database run: what they read or write, and how durable it is. */

import type { DatabaseStore } from "../../contract/database.ts";
import type { Transactions } from "../transactions.ts";
import { backup } from "./backup.ts";
import { check } from "./check.ts";
import { checkWritable } from "./check-writable.ts";
import { isBoot, recordBoot } from "./record-boot.ts";

export const databaseStore = ({ db, write }: Transactions): DatabaseStore => ({
  check: async (options) => db.inspect(() => check(db, options)),
  checkWritable: async () => checkWritable(db),
  // Read first, so that a start usually does not wait for a writer.
  recordBoot: async (record) =>
    db.read(() => isBoot(db, record.boot)) ? false : write(recordBoot)(record),
  backup: (path) => backup(db, path),
  close: async () => db.close(),
});
