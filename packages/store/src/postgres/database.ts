/** The verbs on the database as a whole. */

import { StoreError, UsageError } from "@reprise/core/errors/errors";
import type { DatabaseStore, StoreReport } from "../contract/database.ts";
import type { Transactions } from "../verbs/transactions.ts";
import type { PostgresChanges } from "./changes.ts";
import type { PostgresConnection } from "./connection.ts";
import { storeError } from "./errors.ts";
import { schemaVersion } from "./migrations/migrations.ts";
import type { Pool } from "./pool.ts";

interface Parts {
  readonly pool: Pool;
  readonly transactions: Transactions;
  readonly changes: PostgresChanges;
  readonly database: string;
}

export function databaseStore({
  pool,
  transactions: { read, write },
  changes,
  database,
}: Parts): DatabaseStore {
  return {
    now: read((db) => db.now()),
    check: (options) => pool.use((connection) => check(connection, database, options)),
    checkWritable: write(function* (db) {
      yield* db.run("INSERT INTO scratch (bytes) VALUES ('')");
      yield* db.run("DELETE FROM scratch");
    }),
    // Hosts share the database, and a boot of one of them loses nothing in it: it keeps the boots of all.
    recordBoot: write(function* (db, { boot }) {
      return (
        (yield* db.change("INSERT INTO boot (id) VALUES (:boot) ON CONFLICT DO NOTHING", {
          boot,
        })) > 0
      );
    }),
    backup: () => Promise.reject(backupError(database)),
    changes: (since, signal) => changes.after(since, signal),
    close: async () => {
      await changes.close();
      await pool.close();
    },
  };
}

/**
 * Reports the damage that PostgreSQL itself has found in pages, if the server keeps checksums. `full` also reads every
 * value of every table. Neither compares an index with its table; the extension amcheck does that.
 */
async function check(
  connection: PostgresConnection,
  database: string,
  { full }: { full: boolean },
): Promise<StoreReport> {
  const [row] = await connection.query<{ bytes: number; damaged: number | null }>(
    `SELECT pg_database_size(datname) AS bytes, checksum_failures AS damaged
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const problems = full ? await readAll(connection, database) : [];
  const damaged = row?.damaged ?? 0;
  if (damaged > 0) problems.unshift(`PostgreSQL found damaged pages ${damaged} times.`);
  return {
    schema: await schemaVersion(connection),
    path: database,
    bytes: row?.bytes ?? 0,
    sound: problems.length === 0,
    problems,
  };
}

/** Reads every table, and returns what is damaged. */
async function readAll(connection: PostgresConnection, database: string): Promise<string[]> {
  const tables = await connection.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = current_schema() ORDER BY table_name`,
  );
  const problems: string[] = [];
  for (const { name } of tables)
    try {
      await connection.exec(`SELECT sum(length(CAST(row AS TEXT))) FROM ${name} AS row`);
    } catch (error) {
      const translated = storeError(error, database);
      if (!(translated instanceof StoreError && translated.code === "store-corrupt"))
        throw translated;
      problems.push(`${name}: ${translated.message}`);
    }
  return problems;
}

function backupError(database: string): UsageError {
  return new UsageError(
    "backup-not-supported",
    `Reprise does not back up the PostgreSQL database ${database} itself.`,
    `Use pg_dump, for example: pg_dump --format=custom --file=reprise.dump "$REPRISE_STORE"`,
  );
}
