/** Both databases have the same tables and columns, so that no migration is forgotten in one of them. */

import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openScratch } from "../suite/sqlite-scratch.ts";
import { openPostgresScratch } from "./test-scratch.ts";

/** `table.column` of each column that must have a value or can be left out. */
type Columns = Map<string, "required" | "optional">;

test("SQLite and PostgreSQL have the same tables and columns", async () => {
  const sqlite = await openScratch();
  onTestFinished(sqlite.cleanup);
  const postgres = await openPostgresScratch();
  onTestFinished(postgres.cleanup);

  const inPostgres = await columnsOfPostgres(postgres.url);
  expect(inPostgres.size).toBeGreaterThan(100);
  expect(inPostgres).toEqual(columnsOfSqlite(sqlite.path));
  const [one, other] = await Promise.all(
    [sqlite.store, postgres.store].map((store) => store.check({ full: true })),
  );
  expect(one?.schema).toBe(other?.schema);
});

function columnsOfSqlite(path: string): Columns {
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      `SELECT t.name || '.' || c.name AS name, c."notnull" OR c.pk > 0 AS required
       FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .all() as { name: string; required: number }[];
  return new Map(rows.map(({ name, required }) => [name, required ? "required" : "optional"]));
}

async function columnsOfPostgres(url: string): Promise<Columns> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; required: boolean }>(
      `SELECT table_name || '.' || column_name AS name, is_nullable = 'NO' AS required
       FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name NOT IN ('incarnation', 'schema_version')
       ORDER BY name`,
    );
    return new Map(rows.map(({ name, required }) => [name, required ? "required" : "optional"]));
  } finally {
    await client.end();
  }
}
