/** Reports whether the database is sound, its size and its schema version. */

import { statSync } from "node:fs";
import { StoreError } from "@reprise/core/errors/errors";
import type { StoreReport } from "../../contract/database.ts";
import { type SqliteConnection, schemaVersion } from "../connection.ts";
import { storeError } from "../errors.ts";

export function check(connection: SqliteConnection, { full }: { full: boolean }): StoreReport {
  const problems = findProblems(connection, full);
  return {
    schema: schemaVersion(connection),
    path: connection.path,
    bytes: sizeOf(connection.path) + sizeOf(`${connection.path}-wal`),
    sound: problems.length === 0,
    problems,
  };
}

/** `integrity_check` also compares every index with its table. */
function findProblems(connection: SqliteConnection, full: boolean): string[] {
  try {
    const rows = connection.all<Record<string, string>>(
      full ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)",
    );
    return rows.flatMap((row) => Object.values(row)).filter((finding) => finding !== "ok");
  } catch (error) {
    const translated = storeError(error, connection.path);
    if (translated instanceof StoreError && translated.code === "store-corrupt")
      return [translated.message];
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
