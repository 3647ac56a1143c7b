/**
 * The record of a copy that is being made into a database. It says how far the copy is, and keeps a database from being
 * used before it has everything.
 */

import { StoreError } from "@reprise/core/errors/errors";
import { command, slot } from "@reprise/core/errors/hint";
import type { PostgresConnection } from "./connection.ts";

export interface TransferRecord {
  /** Id of the home whose database is copied, and where it is, for display. */
  readonly home: string;
  readonly path: string;
  readonly host: string;
  /** Digest of everything that is copied; another one means that the home has changed since the copy began. */
  readonly source: string;
  /** `complete`: everything was copied and compared, and no store has used it yet. */
  readonly state: "copying" | "complete";
  /** The table of the last batch, and the last row in it. */
  readonly table: string | null;
  readonly row: string | null;
}

const columns = `home, path, host, source, state, reached_table AS "table", CAST(reached_row AS VARCHAR) AS row`;

/** Every program that reads or writes the record locks the schema first. */
export const lockSchema = "SELECT pg_advisory_xact_lock(hashtextextended('schema', 0))";

export const createTransferRecord = `
  CREATE TABLE IF NOT EXISTS reprise_transfer (
    home TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    host TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reached_table TEXT COLLATE "C",
    reached_row BIGINT
  )`;

export async function readTransferRecord(
  connection: PostgresConnection,
): Promise<TransferRecord | null> {
  const [found] = await connection.query<{ name: string | null }>(
    "SELECT CAST(to_regclass('reprise_transfer') AS TEXT) AS name",
  );
  if (found?.name == null) return null;
  const [record] = await connection.query<TransferRecord>(
    `SELECT ${columns} FROM reprise_transfer`,
  );
  return record ?? null;
}

/**
 * Called before a database is used. A complete copy becomes an ordinary database, which no later copy may replace.
 *
 * @throws StoreError `store-incomplete`
 */
export async function acceptTransfer(
  connection: PostgresConnection,
  database: string,
): Promise<void> {
  if ((await readTransferRecord(connection)) === null) return;
  await connection.exec(`BEGIN; ${lockSchema}`);
  try {
    const record = await readTransferRecord(connection);
    if (record?.state === "copying") throw incomplete(database, record);
    await connection.exec("DROP TABLE IF EXISTS reprise_transfer; COMMIT");
  } catch (error) {
    await connection.exec("ROLLBACK");
    throw error;
  }
}

function incomplete(database: string, { path, host }: TransferRecord): StoreError {
  return new StoreError(
    "store-incomplete",
    `The database ${database} has only a part of the home ${path} on ${host}, which is being moved there.`,
    `Wait until that has ended, or continue it with ${command("migrate", "--to", slot("ADDRESS"))}.`,
  );
}
