/**
 * The SQLite database that is copied. It is locked from the first row that is read until the home uses the copy, so
 * that nothing is written to it that the copy does not have.
 */

import { hash } from "node:crypto";
import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { BusyError } from "@reprise/core/errors/errors";
import { storedText } from "../postgres/text.ts";
import { storeError } from "../sqlite/errors.ts";
import { sumOf, type TableDigest, tableDigest } from "./table-digest.ts";
import { type Table, tablesOf } from "./tables.ts";

/** A row as it is sent to PostgreSQL; bytes are written in hexadecimal digits. */
type SentRow = readonly (string | null)[];

export interface Batch {
  readonly rows: readonly SentRow[];
  /** SQLite's own number of the last row. */
  readonly last: bigint;
}

export interface BatchLimits {
  readonly rows: number;
  readonly bytes: number;
}

const beforeAllRows = -(2n ** 63n);

export class TransferSource {
  readonly path: string;
  readonly tables: readonly Table[];
  readonly #database: DatabaseSync;

  /**
   * @param path of a database with the newest schema.
   * @throws BusyError `store-in-use` if another process has the database open.
   */
  static open(path: string, { busyTimeout = 5000 } = {}): TransferSource {
    try {
      const database = new DatabaseSync(path, { timeout: busyTimeout });
      try {
        return new TransferSource(path, database);
      } catch (error) {
        database.close();
        throw error;
      }
    } catch (error) {
      throw isLocked(error) ? inUse(path, error) : storeError(error, path);
    }
  }

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    // SQLite gives up its log only if this is the only connection. Without the log, the lock keeps out readers too.
    const row = database.prepare("PRAGMA journal_mode = DELETE").get();
    if (row?.journal_mode !== "delete") throw inUse(path);
    database.exec("BEGIN EXCLUSIVE");
    this.tables = tablesOf(database);
  }

  digest(table: Table): TableDigest {
    return tableDigest(sumOf(this.#texts(table)));
  }

  *batches(table: Table, after: bigint | null, limits: BatchLimits): Generator<Batch> {
    let rows: SentRow[] = [];
    let bytes = 0;
    let last = beforeAllRows;
    const statement = this.#prepare(
      `SELECT rowid, ${list(table)} FROM "${table.name}" WHERE rowid > ? ORDER BY rowid`,
    );
    for (const [number, ...values] of iterate(statement, after ?? beforeAllRows)) {
      const row = values.map(sent);
      last = number as bigint;
      rows.push(row);
      for (const value of row) bytes += value?.length ?? 0;
      if (rows.length < limits.rows && bytes < limits.bytes) continue;
      yield { rows, last };
      [rows, bytes] = [[], 0];
    }
    if (rows.length > 0) yield { rows, last };
  }

  /** Releases the lock. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  *#texts(table: Table): Generator<(string | null)[]> {
    const statement = this.#prepare(`SELECT ${list(table)} FROM "${table.name}"`);
    for (const row of iterate(statement)) yield row.map(digested);
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement;
  }
}

function* iterate(statement: StatementSync, ...values: bigint[]): Generator<SQLOutputValue[]> {
  for (const row of statement.iterate(...values)) yield row as unknown as SQLOutputValue[];
}

function list({ columns }: Table): string {
  return columns.map((name) => `"${name}"`).join(", ");
}

function sent(value: SQLOutputValue): string | null {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return text(value);
}

function digested(value: SQLOutputValue): string | null {
  return value instanceof Uint8Array ? hash("sha256", value, "hex") : text(value);
}

function text(value: Exclude<SQLOutputValue, Uint8Array>): string | null {
  if (value === null) return null;
  return typeof value === "string" ? storedText(value) : String(value);
}

function isLocked(error: unknown): boolean {
  const SQLITE_BUSY = 5;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && (errcode & 0xff) === SQLITE_BUSY;
}

function inUse(path: string, cause?: unknown): BusyError {
  return new BusyError(
    "store-in-use",
    `Another process has the database ${path} open.`,
    "End the programs that use the home, such as an MCP server or a terminal with a running command, then try again.",
    { cause },
  );
}
