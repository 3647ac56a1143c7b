/** The SQLite implementation of the Store contract: one file, shared by any number of processes. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Store } from "../store.ts";
import { accessStore } from "./access/verbs.ts";
import { agentStore } from "./agents/verbs.ts";
import { callStore } from "./calls/verbs.ts";
import { checkpointStore } from "./checkpoints/verbs.ts";
import { createDatabaseFile } from "./database/database-file.ts";
import { databaseStore } from "./database/verbs.ts";
import { Db, type DbOptions } from "./db.ts";
import { dueStore } from "./due/verbs.ts";
import { emptyError, storeError } from "./errors.ts";
import { eventStore } from "./events/verbs.ts";
import { hostStore } from "./hosts/verbs.ts";
import { inboxStore } from "./inbox/verbs.ts";
import { migrate, requireKnownSchema } from "./migrations/migrations.ts";
import { runStore } from "./runs/verbs.ts";
import { sessionStore } from "./sessions/verbs.ts";
import { transactionsOn } from "./transactions.ts";
import { turnStore } from "./turns/verbs.ts";
import { usageStore } from "./usage/verbs.ts";
import { webhookStore } from "./webhooks/verbs.ts";

/**
 * Opens the database, and creates it if there is none.
 *
 * @throws StoreError `store-newer`, `store-corrupt`, `store-busy`, `store-full`,
 * `store-not-writable` or `store-io`; then nothing on the disk is changed.
 */
export async function openSqliteStore(path: string, options: DbOptions = {}): Promise<Store> {
  const file = resolve(path);
  try {
    if (!existsSync(file)) createDatabaseFile(file, (draft) => connect(draft, options).close());
    if (statSync(file).size === 0) throw emptyError(file);
    return storeOn(connect(file, options));
  } catch (error) {
    throw storeError(error, file);
  }
}

function connect(file: string, options: DbOptions): Db {
  // SQLite would open a read-only file and fail only at the first write.
  accessSync(dirname(file), constants.W_OK | constants.X_OK);
  accessSync(file, constants.R_OK | constants.W_OK);
  const db = new Db(file, options);
  try {
    requireKnownSchema(db);
    db.exec("PRAGMA journal_mode = WAL");
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function storeOn(db: Db): Store {
  const transactions = transactionsOn(db);
  return {
    ...agentStore(transactions),
    ...sessionStore(transactions),
    ...turnStore(transactions),
    ...checkpointStore(transactions),
    ...usageStore(transactions),
    ...runStore(transactions),
    ...inboxStore(transactions),
    ...eventStore(transactions),
    ...dueStore(transactions),
    ...accessStore(transactions),
    ...callStore(transactions),
    ...webhookStore(transactions),
    ...hostStore(transactions),
    ...databaseStore(transactions),
  };
}
