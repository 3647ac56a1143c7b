/**
 * A copy of one session and its subagents' as a database of its own: all that opencode keeps about them, and none of its
 * credentials or of other sessions. SQLite reads it in one transaction, so what opencode writes meanwhile, or has left in
 * its write-ahead log, is in it or not, but never half. The same session always gives the same bytes.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readOnly } from "./read-only.ts";

export interface SessionRow {
  readonly id: string;
  readonly directory: string;
  /** JSON: where a person went back to in opencode's own screen. */
  readonly revert: string | null;
}

/** A message or a part of one; `data` is JSON. */
export interface MessageRow {
  readonly id: string;
  readonly data: string;
}

export interface PartRow extends MessageRow {
  readonly message_id: string;
}

export interface SessionImage {
  readonly session: SessionRow;
  readonly messages: readonly MessageRow[];
  readonly parts: readonly PartRow[];
  readonly bytes: Uint8Array;
}

/** Null when the database does not have the session; SQLite throws when it cannot read the database. */
export function takeImage(path: string, id: string): SessionImage | null {
  return inTemporaryFile((file) => {
    const found = withDatabase(file, (database) => {
      database.exec(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY",
      );
      database.prepare("ATTACH ? AS source").run(readOnly(path).href);
      requireWhole(database);
      database.exec("BEGIN");
      database.prepare(selectSessions).run(id);
      const rows = sessionIn(database, "source", id);
      if (rows !== null) copy(database);
      database.exec("COMMIT");
      return rows;
    });
    return found && { ...found, bytes: new Uint8Array(readFileSync(file)) };
  });
}

/** The image with other values in it. */
export function changeImage(
  bytes: Uint8Array,
  change: (database: DatabaseSync) => void,
): Uint8Array {
  return inTemporaryFile((file) => {
    writeFileSync(file, bytes);
    withDatabase(file, change);
    return new Uint8Array(readFileSync(file));
  });
}

function inTemporaryFile<Result>(use: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "reprise-opencode-"));
  try {
    return use(join(folder, "session.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withDatabase<Result>(file: string, use: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false, timeout: 1000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** A page that nothing of the session is on may still be one that opencode needs. */
function requireWhole(database: DatabaseSync): void {
  const [row] = database.prepare("PRAGMA source.quick_check(1)").all();
  const said = Object.values(row ?? {})[0];
  if (said !== "ok") throw new DamagedDatabaseError(String(said));
}

export class DamagedDatabaseError extends Error {}

const selectSessions = `
  CREATE TEMP TABLE wanted AS
  WITH RECURSIVE wanted (id, project) AS (
    SELECT id, project_id FROM source.session WHERE id = ?
    UNION
    SELECT session.id, session.project_id
    FROM source.session JOIN wanted ON session.parent_id = wanted.id
  )
  SELECT id, project FROM wanted`;

function sessionIn(
  database: DatabaseSync,
  schema: string,
  id: string,
): Omit<SessionImage, "bytes"> | null {
  const all = <Row>(sql: string) => database.prepare(sql).all(id) as unknown as Row[];
  const [session] = all<SessionRow>(
    `SELECT id, directory, revert FROM ${schema}.session WHERE id = ?`,
  );
  if (session === undefined) return null;
  return {
    session,
    messages: all<MessageRow>(
      `SELECT id, data FROM ${schema}.message WHERE session_id = ? ORDER BY time_created, id`,
    ),
    parts: all<PartRow>(
      `SELECT id, message_id, data FROM ${schema}.part WHERE session_id = ? ORDER BY id`,
    ),
  };
}

/** Shared links have a secret; a permission that a person gave belongs to the whole project. */
const leftOut = ["session_share", "permission"];

function copy(database: DatabaseSync): void {
  const entries = database
    .prepare(
      `SELECT type, name, sql FROM source.sqlite_master
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid`,
    )
    .all() as { type: string; name: string; sql: string }[];
  const tables = entries.filter(({ type }) => type === "table");
  for (const { sql } of tables) database.exec(sql);
  for (const { name } of tables) {
    const where = selection(database, name);
    if (where !== null)
      database.exec(
        `INSERT INTO main."${name}" SELECT * FROM source."${name}" WHERE ${where} ORDER BY rowid`,
      );
  }
  for (const { type, sql } of entries) if (type !== "table") database.exec(sql);
}

/** Which rows of a table belong to the sessions; null for none. Tables of later versions follow the same names. */
function selection(database: DatabaseSync, table: string): string | null {
  if (leftOut.includes(table)) return null;
  if (table === "migration" || table === "data_migration") return "true";
  if (table === "session") return "id IN (SELECT id FROM wanted)";
  if (table === "project") return "id IN (SELECT project FROM wanted)";
  if (table === "project_directory") return "project_id IN (SELECT project FROM wanted)";
  const columns = database.prepare(`PRAGMA source.table_info("${table}")`).all();
  const has = (name: string) => columns.some((column) => column.name === name);
  const column = ["session_id", "aggregate_id"].find(has);
  return column === undefined ? null : `${column} IN (SELECT id FROM wanted)`;
}
