/** The PostgreSQL implementation of the Store contract: one database, shared by any number of servers. */

import type { Store } from "../store.ts";
import type { Db } from "../verbs/db.ts";
import { storeOn } from "../verbs/store.ts";
import { PostgresChanges } from "./changes.ts";
import type { PostgresConnection } from "./connection.ts";
import { databaseStore } from "./database.ts";
import { storeError } from "./errors.ts";
import { recognizeServer } from "./incarnation.ts";
import { migrate } from "./migrations/migrations.ts";
import { Pool } from "./pool.ts";
import { transactionsOn } from "./transactions.ts";
import { acceptTransfer } from "./transfer-record.ts";

export interface PostgresOptions {
  /** Applied to the JSON text of every event; the result must still be JSON. */
  readonly redact?: Db["redact"];
  /** Real path of Reprise's home: pins name their places in it from there. */
  readonly home?: string;
  /** The store's clock, in milliseconds since 1970. Default: the server's. */
  readonly now?: (() => number) | undefined;
  /**
   * How long a verb waits for a server that restarts or that does not answer, in milliseconds; 20 seconds without it.
   * A statement may take longer, while the server works on it.
   */
  readonly patience?: number;
  /**
   * After how long without a word from this store the server ends its open transaction, in milliseconds; 20 seconds
   * without it. A host that lost its power or its network keeps others waiting until then.
   */
  readonly silence?: number;
}

/**
 * Opens the database, and creates its tables if there are none.
 *
 * @throws StoreError `store-newer`, `store-incomplete`, `store-unreachable`, `store-denied` or `store-not-writable`.
 */
export async function openPostgresStore(
  url: string,
  { redact, home, now, patience = 20_000, silence = 20_000 }: PostgresOptions = {},
): Promise<Store> {
  const database = nameOf(url);
  const prepare = async (connection: PostgresConnection) => {
    // Where the server, its user or the address has a value, that one counts.
    await connection.query(
      `SELECT set_config(name, CAST(:silence AS TEXT), false) FROM pg_settings
       WHERE name = 'idle_in_transaction_session_timeout' AND setting = '0'`,
      { silence: String(silence) },
    );
    await acceptTransfer(connection, database);
    await migrate(connection, database);
    await recognizeServer(connection);
  };
  // A connection is found to be silent after one or two of these, and asking about it takes another one.
  const within = Math.max(patience / 3, 500);
  const pool = new Pool({
    ...{ url, within, now },
    ...(redact && { redact }),
    home,
    prepare,
    committed: () => changes.committed(),
  });
  const changes = new PostgresChanges(pool, { url, within });
  try {
    await pool.use(async () => {});
  } catch (error) {
    await pool.close();
    throw storeError(error, database);
  }
  const transactions = transactionsOn({ pool, database, patience });
  return { ...storeOn(transactions), ...databaseStore({ pool, transactions, changes, database }) };
}

/** Host, port and database, without the password. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
