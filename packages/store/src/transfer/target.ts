/** The PostgreSQL database that a copy is made into. */

import { BusyError, StoreError, UsageError } from "@reprise/core/errors/errors";
import type { StoreHome } from "../contract/hosts.ts";
import { PostgresConnection } from "../postgres/connection.ts";
import { storeError } from "../postgres/errors.ts";
import { becomeAnotherServer } from "../postgres/incarnation.ts";
import { migrate, schemaVersion } from "../postgres/migrations/migrations.ts";
import {
  acceptTransfer,
  createTransferRecord,
  lockSchema,
  readTransferRecord,
  type TransferRecord,
} from "../postgres/transfer-record.ts";
import type { Batch } from "./source.ts";
import { type DigestSums, sumsInPostgres, type TableDigest, tableDigest } from "./table-digest.ts";
import type { Table } from "./tables.ts";

/** How values of a type are written as the text whose digest is compared, and made from the text that is sent. */
interface ColumnType {
  text(column: string): string;
  value(text: string): string;
}

const types: Readonly<Record<string, ColumnType>> = {
  text: { text: (column) => column, value: (text) => text },
  bigint: {
    text: (column) => `CAST(${column} AS TEXT)`,
    value: (text) => `CAST(${text} AS BIGINT)`,
  },
  json: { text: (column) => `CAST(${column} AS TEXT)`, value: (text) => `CAST(${text} AS JSON)` },
  bytea: {
    text: (column) => `encode(sha256(${column}), 'hex')`,
    value: (text) => `decode(${text}, 'hex')`,
  },
};

interface TargetColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export interface TargetOptions {
  readonly url: string;
  /** Host, port and database, for messages. */
  readonly database: string;
  /** The home that is moved. */
  readonly home: StoreHome;
}

export class TransferTarget {
  readonly database: string;
  readonly #connection: PostgresConnection;
  readonly #home: StoreHome;
  readonly #columns = new Map<string, readonly TargetColumn[]>();

  /** Connects, and creates the tables if there are none. */
  static async open({ url, database, home }: TargetOptions): Promise<TransferTarget> {
    try {
      const connection = await PostgresConnection.open({ url });
      const target = new TransferTarget(connection, database, home);
      try {
        await target.#prepare();
        return target;
      } catch (error) {
        await connection.close();
        throw error;
      }
    } catch (error) {
      throw storeError(error, database);
    }
  }

  private constructor(connection: PostgresConnection, database: string, home: StoreHome) {
    this.#connection = connection;
    this.database = database;
    this.#home = home;
  }

  /**
   * How far an earlier copy of the same rows came; null if this copy begins. What an earlier copy of other rows left
   * is removed.
   *
   * @throws UsageError `store-not-empty`, BusyError `store-of-another-home`: the database has other data.
   */
  async begin(source: string, tables: readonly Table[]): Promise<TransferRecord | null> {
    return this.#translated(async () => {
      await this.#readColumns(tables);
      return this.#transaction(async () => {
        const record = await readTransferRecord(this.#connection);
        if (record === null) await this.#requireEmpty(tables);
        else if (record.home !== this.#home.id) throw this.#ofAnotherHome(record);
        else if (record.source === source) return record;
        const names = tables.map(({ name }) => `"${name}"`).join(", ");
        await this.#connection.exec(`${createTransferRecord}; DELETE FROM reprise_transfer; DELETE FROM store_home;
          TRUNCATE ${names}`);
        const { id, host, path, at } = this.#home;
        await this.#connection.query(
          `INSERT INTO reprise_transfer (home, path, host, source, state)
           VALUES (:id, :path, :host, :source, 'copying')`,
          { id, path, host, source },
        );
        // From now on no other home uses the database.
        await this.#connection.query(
          "INSERT INTO store_home (id, host, path, at) VALUES (:id, :host, :path, :at)",
          { id, host, path, at },
        );
        return null;
      });
    });
  }

  /** Writes the rows and how far the copy is, in one statement. */
  async write({ name }: Table, { rows, last }: Batch): Promise<void> {
    const columns = this.#columns.get(name)!;
    const names = columns.map((column) => `"${column.name}"`).join(", ");
    const values = columns.map(({ name: column, type }) => type.value(`"${column}"`)).join(", ");
    const types = columns.map((column) => `"${column.name}" TEXT`).join(", ");
    const sent = rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column.name, row[index]])),
    );
    await this.#translated(() =>
      this.#connection.query(
        `WITH written AS (
           INSERT INTO "${name}" (${names})
           SELECT ${values} FROM json_to_recordset(CAST(convert_from(:rows, 'UTF8') AS JSON)) AS sent (${types})
         )
         UPDATE reprise_transfer SET reached_table = :name, reached_row = CAST(:last AS BIGINT)`,
        // As bytes: the texts in it are already as PostgreSQL can keep them.
        { rows: Buffer.from(JSON.stringify(sent)), name, last: String(last) },
      ),
    );
  }

  async digest({ name }: Table): Promise<TableDigest> {
    const texts = this.#columns.get(name)!.map((column) => column.type.text(`"${column.name}"`));
    const [sums] = await this.#translated(() =>
      this.#connection.query<{ rows: number } & Record<keyof DigestSums, string>>(
        sumsInPostgres(`"${name}"`, texts),
      ),
    );
    const { rows, high, low } = sums!;
    return tableDigest({ rows, high: BigInt(high), low: BigInt(low) });
  }

  /** The copy has everything. New rows and events get numbers that are higher than those of the copied ones. */
  async complete(): Promise<void> {
    await this.#translated(() =>
      this.#transaction(async () => {
        await this.#connection.exec(
          `SET LOCAL synchronous_commit = on;
           SELECT setval('due_position', (SELECT greatest(1, max(position)) FROM due));
           ${becomeAnotherServer};
           UPDATE reprise_transfer SET state = 'complete'`,
        );
        const counted = await this.#connection.query<{ table: string; column: string }>(
          `SELECT CAST(table_name AS TEXT) AS table, CAST(column_name AS TEXT) AS column
           FROM information_schema.columns
           WHERE table_schema = current_schema() AND is_identity = 'YES'`,
        );
        for (const { table, column } of counted)
          await this.#connection.exec(
            `SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
               (SELECT greatest(1, max("${column}")) FROM "${table}"))`,
          );
      }),
    );
  }

  /** The home uses the database now, so no other copy may replace what it has. */
  async accept(): Promise<void> {
    await this.#translated(() => acceptTransfer(this.#connection, this.database));
  }

  /** The next start copies everything again. */
  async forget(): Promise<void> {
    await this.#translated(() =>
      this.#connection.exec("UPDATE reprise_transfer SET source = '', state = 'copying'"),
    );
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #prepare(): Promise<void> {
    const connection = this.#connection;
    const [found] = await connection.query<{ encoding: string; locked: number }>(
      `SELECT current_setting('server_encoding') AS encoding,
         pg_try_advisory_lock(hashtextextended('transfer', 0)) AS locked`,
    );
    if (found?.locked !== 1)
      throw new BusyError(
        "store-busy",
        `Another process is moving a home into the database ${this.database}.`,
        "Wait until it has ended, or choose another database.",
      );
    if (found.encoding !== "UTF8")
      throw new UsageError(
        "store-encoding",
        `The database ${this.database} has the encoding ${found.encoding}, which cannot keep every text.`,
        "Create one with the encoding UTF8, for example: createdb --encoding=UTF8 --template=template0 NAME",
      );
    if ((await schemaVersion(connection)) === 0) await this.#requireNoTables();
    await migrate(connection, this.database);
    // The last commit waits for the disk, and so for all before it.
    await connection.exec("SET synchronous_commit = off");
  }

  async #requireNoTables(): Promise<void> {
    const [table] = await this.#connection.query<{ name: string }>(
      `SELECT CAST(table_name AS TEXT) AS name FROM information_schema.tables
       WHERE table_schema = current_schema() ORDER BY table_name LIMIT 1`,
    );
    if (table !== undefined)
      throw this.#notEmpty(`tables of another program, such as ${table.name}`);
  }

  async #requireEmpty(tables: readonly Table[]): Promise<void> {
    const [owner] = await this.#connection.query<StoreHome>(
      "SELECT id, path, host FROM store_home",
    );
    if (owner !== undefined && owner.id !== this.#home.id) throw this.#ofAnotherHome(owner);
    const filled = tables.map(
      ({ name }) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM "${name}")`,
    );
    const [found] = await this.#connection.query<{ name: string }>(
      `${filled.join(" UNION ALL ")} LIMIT 1`,
    );
    if (found !== undefined) throw this.#notEmpty(`rows in its table ${found.name}`);
  }

  /** Each table's in the order of the source. */
  async #readColumns(tables: readonly Table[]): Promise<void> {
    const rows = await this.#connection.query<{ table: string; name: string; type: string }>(
      `SELECT CAST(table_name AS TEXT) AS "table", CAST(column_name AS TEXT) AS name,
         CAST(data_type AS TEXT) AS type
       FROM information_schema.columns WHERE table_schema = current_schema()`,
    );
    const known = new Map(rows.map(({ table, name, type }) => [`${table}.${name}`, types[type]]));
    for (const { name: table, columns } of tables)
      this.#columns.set(
        table,
        columns.map((name) => ({ name, type: known.get(`${table}.${name}`)! })),
      );
  }

  async #transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#connection.exec(`BEGIN; ${lockSchema}`);
    try {
      const result = await work();
      await this.#connection.exec("COMMIT");
      return result;
    } catch (error) {
      await this.#connection.exec("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  async #translated<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw storeError(error, this.database);
    }
  }

  #notEmpty(what: string): UsageError {
    return new UsageError(
      "store-not-empty",
      `The database ${this.database} has ${what}, which are not from this move.`,
      "Name an empty database, for example one that createdb has made.",
    );
  }

  #ofAnotherHome({ path, host }: { readonly path: string; readonly host: string }): BusyError {
    return new BusyError(
      "store-of-another-home",
      `The database ${this.database} belongs to the home ${path} on ${host}.`,
      "Give each home a database of its own.",
    );
  }
}

/** The copy of a table is not equal to it. */
export function copyDiffers(
  { name }: Table,
  { rows: here }: TableDigest,
  { rows: there }: TableDigest,
  database: string,
): StoreError {
  return new StoreError(
    "transfer-differs",
    here === there
      ? `The table ${name} in the database ${database} is not the same as in the home.`
      : `The table ${name} has ${there} rows in the database ${database}, and ${here} in the home.`,
    "Nothing was switched. Check that no other program writes to that database, then try again: everything is copied anew.",
  );
}
