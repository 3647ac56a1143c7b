/** The schema of PostgreSQL, as numbered steps that only go forward, one file each. */

import { StoreError } from "@reprise/core/errors/errors";
import type { PostgresConnection } from "../connection.ts";
import { initial } from "./0019-initial.ts";
import { probeHosts } from "./0020-probe-hosts.ts";
import { tokenExpiry } from "./0021-token-expiry.ts";
import { storeHome } from "./0022-store-home.ts";
import { eventHorizon } from "./0023-event-horizon.ts";
import { sessionUse } from "./0023-session-use.ts";
import { pinVersions } from "./0024-pin-versions.ts";
import { pinHandles } from "./0025-pin-handles.ts";
import { accountLimits } from "./0026-account-limits.ts";
import { keptSessions } from "./0027-kept-sessions.ts";

interface Migration {
  /** The version of the schema afterwards: the same number means the same tables in SQLite. */
  readonly version: number;
  readonly sql: string;
}

const migrations: readonly Migration[] = [
  { version: 19, sql: initial },
  { version: 20, sql: probeHosts },
  { version: 21, sql: tokenExpiry },
  { version: 22, sql: storeHome },
  { version: 23, sql: eventHorizon + sessionUse },
  { version: 24, sql: pinVersions },
  { version: 25, sql: pinHandles },
  { version: 26, sql: accountLimits },
  { version: 27, sql: keptSessions },
];

export const latestSchema = migrations.at(-1)!.version;

/** Brings the schema up to date in one transaction; a second process that opens the database meanwhile waits. */
export async function migrate(connection: PostgresConnection, database: string): Promise<void> {
  if ((await schemaVersion(connection)) === latestSchema) return;
  await connection.exec("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('schema', 0))");
  try {
    const version = await schemaVersion(connection);
    if (version > latestSchema) throw newerError(database, version);
    for (const migration of migrations)
      if (migration.version > version) await connection.exec(migration.sql);
    await connection.exec(
      `CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
       DELETE FROM schema_version; INSERT INTO schema_version VALUES (${latestSchema}); COMMIT`,
    );
  } catch (error) {
    await connection.exec("ROLLBACK");
    throw error;
  }
}

/** 0 for an empty database. */
export async function schemaVersion(connection: PostgresConnection): Promise<number> {
  const [table] = await connection.query<{ name: string | null }>(
    "SELECT CAST(to_regclass('schema_version') AS TEXT) AS name",
  );
  if (table?.name == null) return 0;
  const [row] = await connection.query<{ version: number }>("SELECT version FROM schema_version");
  return row?.version ?? 0;
}

function newerError(database: string, found: number): StoreError {
  return new StoreError(
    "store-newer",
    `The database ${database} has schema version ${found}; this version of Reprise reads up to ${latestSchema}.`,
    "Use the newer Reprise that wrote it.",
  );
}
