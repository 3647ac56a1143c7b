/** The tables that are copied from one database to another, in an order in which every row finds what it refers to. */

import type { DatabaseSync } from "node:sqlite";

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Says which home uses a database, so it stays with the database. */
const notCopied = ["store_home"];

/** The same order for the same schema. */
export function tablesOf(database: DatabaseSync): Table[] {
  const names = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !notCopied.includes(name));
  const column = (sql: string, table: string) =>
    database
      .prepare(sql)
      .all(table)
      .map(({ value }) => String(value));
  const ordered: string[] = [];
  while (ordered.length < names.length) {
    const next = names.find(
      (name) =>
        !ordered.includes(name) &&
        column('SELECT "table" AS value FROM pragma_foreign_key_list(?)', name).every((parent) =>
          ordered.includes(parent),
        ),
    );
    if (next === undefined) throw new Error("Tables refer to each other in a circle.");
    ordered.push(next);
  }
  return ordered.map((name) => ({
    name,
    columns: column("SELECT name AS value FROM pragma_table_info(?) ORDER BY cid", name),
  }));
}
