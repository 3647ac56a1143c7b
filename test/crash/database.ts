/** The database of a home, looked up and changed beside Reprise, so that only its own calls are counted. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readStoreRecord } from "@reprise/engine/home";
import { exec, query } from "../postgres/sync-query.ts";

/** Nothing, where Reprise has not made it yet. */
export function lookUp<Row>(
  folder: string,
  sql: string,
  parameters: Readonly<Record<string, string>> = {},
): Row[] {
  const url = readStoreRecord(join(folder, "home"));
  if (url !== null) return query(url, sql, parameters);
  const file = join(folder, "home", "reprise.db");
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const made = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'run'").get();
    return made ? (database.prepare(sql).all(parameters) as Row[]) : [];
  } finally {
    database.close();
  }
}

/** Changes what Reprise has written in a way that Reprise itself never would. */
export function tamper(folder: string, ...statements: readonly string[]): void {
  const url = readStoreRecord(join(folder, "home"));
  if (url !== null) {
    for (const statement of statements) exec(url, statement);
    return;
  }
  const database = new DatabaseSync(join(folder, "home", "reprise.db"));
  database.exec("PRAGMA busy_timeout = 10000");
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** What SQLite finds wrong in it. PostgreSQL keeps the rules of its tables by itself. */
export function unsound(folder: string): unknown[] {
  if (readStoreRecord(join(folder, "home")) !== null) return [];
  const found = lookUp<object>(folder, "PRAGMA integrity_check");
  return [
    ...found.filter((row) => Object.values(row)[0] !== "ok"),
    ...lookUp(folder, "PRAGMA foreign_key_check"),
  ];
}
