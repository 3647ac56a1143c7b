/** Reports whether the database is sound, its size and its schema version. */

import { statSync } from "node:fs";
import { StoreError } from "@reprise/core/errors/errors";
import type { Db } from "../db.ts";
import { storeError } from "../errors.ts";
import { schemaVersion } from "../migrations/migrations.ts";
import type { Verb } from "../verb.ts";

export const check: Verb<"check"> = (db, { full }) => {
  const problems = findProblems(db, full);
  return {
    schema: schemaVersion(db),
    path: db.path,
    bytes: sizeOf(db.path) + sizeOf(`${db.path}-wal`),
    sound: problems.length === 0,
    problems,
  };
};

/** `integrity_check` also compares every index with its table. */
function findProblems(db: Db, full: boolean): string[] {
  try {
    const rows = db.all<Record<string, string>>(
      full ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)",
    );
    return rows.flatMap((row) => Object.values(row)).filter((finding) => finding !== "ok");
  } catch (error) {
    const translated = storeError(error, db.path);
    if (translated instanceof StoreError && translated.code === "store-corrupt")
      return [translated.message];
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
