/** One connection to the database: cached statements, the transaction of every verb, and callers that wait for commits. */

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Durability } from "../contract/database.ts";
import type { Db, Dialect, Parameters, Query } from "../verbs/db.ts";
import type { Transactions } from "../verbs/transactions.ts";
import { storeError } from "./errors.ts";

export interface SqliteOptions {
  /** The database may not grow beyond this many pages. */
  readonly maxPages?: number;
  /** How long to wait for another writer, in milliseconds. */
  readonly busyTimeout?: number;
  /** Applied to the JSON text of every event; the result must still be JSON. */
  readonly redact?: (text: string) => string;
  /** Real path of Reprise's home: pins name their places in it from there. */
  readonly home?: string;
  /** The store's clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/**
 * The write-ahead log is one file, written in order: a buffered write is on the disk with the next durable
 * one. Checkpoints of the log are slow and make the next writer wait for the disk again, so they are rare.
 */
const pragmas: Readonly<Record<Durability, string>> = {
  durable: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000",
  // A buffered write does not wait for a checkpoint, unless there was no durable write for long.
  buffered: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 10000",
};

interface Prepared {
  readonly statement: StatementSync;
  /** The names of its parameters, in the order of their numbers. */
  readonly names: readonly string[];
}

/** A verb that waits to be written with the others of this turn of the event loop. */
interface Queued {
  readonly durability: Durability;
  /** Runs the verb; call the returned function to resolve its promise once it is on the disk. */
  run(): () => void;
  reject(error: unknown): void;
}

export class SqliteConnection {
  readonly path: string;
  /** What verbs use in a transaction of this connection. */
  readonly db: Db;
  readonly changes: Changes;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  #durability: Durability | null = null;
  #rowsChanged = 0;
  #queued: Queued[] = [];

  constructor(
    path: string,
    { maxPages, busyTimeout = 5000, redact = (text) => text, now = Date.now, home }: SqliteOptions,
  ) {
    this.path = path;
    this.db = dbOn(this, { redact, now, home: home ?? null });
    this.#database = new DatabaseSync(path, { timeout: busyTimeout });
    this.changes = new Changes(
      () => this.get<{ data_version: number }>("PRAGMA data_version")!.data_version,
    );
    if (maxPages !== undefined) this.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`);
  }

  get<Row>(sql: string, parameters: Parameters = {}): Row | undefined {
    const { statement, names } = this.#prepare(sql);
    return statement.get(...valuesOf(names, parameters)) as Row | undefined;
  }

  all<Row>(sql: string, parameters: Parameters = {}): Row[] {
    const { statement, names } = this.#prepare(sql);
    return statement.all(...valuesOf(names, parameters)) as Row[];
  }

  /** Returns how many rows changed. */
  run(sql: string, parameters: Parameters = {}): number {
    const { statement, names } = this.#prepare(sql);
    return Number(statement.run(...valuesOf(names, parameters)).changes);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** IMMEDIATE, because a transaction that reads first and then writes cannot wait for another writer. */
  write<Result>(verb: () => Result, durability: Durability = "durable"): Result {
    this.#writeQueued();
    if (this.#durability !== durability) this.exec(pragmas[durability]);
    this.#durability = durability;
    const result = this.#transaction("BEGIN IMMEDIATE", verb);
    // A verb that wrote nothing must not wake callers, which would call it again.
    const { count } = this.get<{ count: number }>("SELECT total_changes() AS count")!;
    if (count !== this.#rowsChanged) this.changes.committed();
    this.#rowsChanged = count;
    return result;
  }

  /**
   * Writes all verbs of one turn of the event loop in one transaction, so that the disk is waited for once,
   * however many runs take a step. Each verb still succeeds or fails as a whole, and its promise resolves when
   * it is on the disk, unless all of them are buffered. Later calls on this connection come after it.
   */
  writeTogether<Result>(verb: () => Result, durability: Durability = "durable"): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#queued.length === 0) setImmediate(() => this.#writeQueued());
      const run = () => {
        const result = verb();
        return () => resolve(result);
      };
      this.#queued.push({ durability, run, reject });
    });
  }

  /** Several reads of one consistent state. */
  read<Result>(verb: () => Result): Result {
    this.#writeQueued();
    return this.#transaction("BEGIN", verb);
  }

  /** Outside a transaction, because ending one fails after SQLite has found a damaged page. */
  inspect<Result>(verb: () => Result): Result {
    try {
      return verb();
    } catch (error) {
      throw storeError(error, this.path);
    }
  }

  close(): void {
    this.#writeQueued();
    this.changes.close();
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction<Result>(begin: string, verb: () => Result): Result {
    try {
      this.run(begin);
      const result = verb();
      this.run("COMMIT");
      return result;
    } catch (error) {
      // SQLite has already rolled back after some failures, such as a full disk.
      if (this.#database.isTransaction) this.exec("ROLLBACK");
      throw storeError(error, this.path);
    }
  }

  #writeQueued(): void {
    const queued = this.#queued;
    if (queued.length === 0) return;
    this.#queued = [];
    const durable = queued.some(({ durability }) => durability === "durable");
    try {
      for (const resolve of this.#batch(queued, durable ? "durable" : "buffered")) resolve();
    } catch (error) {
      for (const { reject } of queued) reject(error);
    }
  }

  /** Usually all verbs succeed. If one fails, all are written again, each in its own savepoint. */
  #batch(queued: readonly Queued[], durability: Durability): (() => void)[] {
    let begun = false;
    const verbs = () => {
      begun = true;
      return queued.map(({ run }) => run());
    };
    try {
      return this.write(verbs, durability);
    } catch (error) {
      if (!begun || queued.length === 1) throw error;
      return this.write(() => queued.map((each) => this.#inSavepoint(each)), durability);
    }
  }

  /** Runs one of several verbs in a transaction: if it fails, the others stay. */
  #inSavepoint({ run, reject }: Queued): () => void {
    this.run("SAVEPOINT verb");
    try {
      return run();
    } catch (error) {
      // If SQLite has already rolled back, the others are lost too.
      if (!this.#database.isTransaction) throw error;
      this.run("ROLLBACK TO verb");
      return () => reject(storeError(error, this.path));
    } finally {
      if (this.#database.isTransaction) this.run("RELEASE verb");
    }
  }

  /** Binds parameters by number, which is a quarter faster than by name; no literal in a statement may contain `:name`. */
  #prepare(sql: string): Prepared {
    let prepared = this.#statements.get(sql);
    if (prepared === undefined) {
      const names: string[] = [];
      const numbered = sql.replace(/:([a-z]\w*)/gi, (_, name: string) => {
        if (!names.includes(name)) names.push(name);
        return `?${names.indexOf(name) + 1}`;
      });
      prepared = { statement: this.#database.prepare(numbered), names };
      this.#statements.set(sql, prepared);
    }
    return prepared;
  }
}

/** Only one transaction writes at a time, so numbers become visible in order. */
const dialect: Dialect = {
  eventSeq: ":seq",
  isVisible: "true",
  duePosition: "(SELECT coalesce(max(position), 0) + 1 FROM due)",
};

function dbOn(
  connection: SqliteConnection,
  { redact, now, home }: Pick<Db, "redact" | "home"> & { readonly now: () => number },
): Db {
  const db: Db = {
    redact,
    home,
    now: () => immediate(now),
    get: <Row>(sql: string, parameters?: Parameters) =>
      immediate(() => connection.get<Row>(sql, parameters)),
    all: <Row>(sql: string, parameters?: Parameters) =>
      immediate(() => connection.all<Row>(sql, parameters)),
    run: (sql, parameters) => immediate(() => void connection.run(sql, parameters)),
    change: (sql, parameters) => immediate(() => connection.run(sql, parameters)),
    lock: () => immediate(() => undefined),
    last: (read) => read(db),
    locked: everyName,
    dialect,
  };
  return db;
}

/** There is one writer at a time. */
const everyName: Db["locked"] = { has: () => true, add: () => {} };

// biome-ignore lint/correctness/useYield: SQLite returns the result of a statement at once.
function* immediate<Result>(statement: () => Result): Query<Result> {
  return statement();
}

/** SQLite rejects a missing parameter. */
function valuesOf(names: readonly string[], parameters: Parameters): SQLInputValue[] {
  return names.map((name) => parameters[name] as SQLInputValue);
}

/** How many migrations were applied. */
export function schemaVersion(connection: SqliteConnection): number {
  return connection.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}

/** Transactions on SQLite: a verb runs to its end in one call, because no statement is waited for. */
export function transactionsOn(connection: SqliteConnection): Transactions {
  const { db } = connection;
  const read: Transactions["read"] =
    (verb) =>
    async (...input) =>
      connection.read(() => complete(verb(db, ...input)));
  return {
    read,
    readEvents: read,
    write:
      (verb) =>
      async (...input) =>
        connection.write(() => complete(verb(db, ...input))),
    writeBuffered:
      (verb) =>
      async (...input) =>
        connection.write(() => complete(verb(db, ...input)), "buffered"),
    writeAtLevel: (verb) => async (input) =>
      connection.write(() => complete(verb(db, input)), input.durability),
    writeTogether: (verb) => (input) => connection.writeTogether(() => complete(verb(db, input))),
    writeTogetherBuffered: (verb) => (input) =>
      connection.writeTogether(() => complete(verb(db, input)), "buffered"),
  };
}

/** Runs a verb to its end. */
export function complete<Result>(query: Query<Result>): Result {
  const step = query.next();
  if (!step.done) throw new Error("A verb on SQLite waited for a promise.");
  return step.value;
}

// Wakes callers that wait for a commit. Commits of this connection are known at once. Those of other connections
// change SQLite's `data_version`, which is read while there are callers: it costs no table and takes no lock.

/** Milliseconds between two readings of `data_version`. */
const interval = 20;

class Changes {
  readonly #dataVersion: () => number;
  readonly #waiting = new Set<() => void>();
  #version: number | null = null;
  #mark = 1;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(dataVersion: () => number) {
    this.#dataVersion = dataVersion;
  }

  /** This connection has committed something. */
  committed(): void {
    this.#mark += 1;
    if (this.#waiting.size > 0) setImmediate(() => this.#wake());
  }

  /** A closed store wakes its callers: their next read fails and says so. */
  close(): void {
    this.#isClosed = true;
    this.#mark += 1;
    this.#wake();
  }

  async after(since: number, signal: AbortSignal): Promise<number> {
    for (;;) {
      this.#look();
      if (this.#mark !== since || signal.aborted || this.#isClosed) return this.#mark;
      await this.#woken(signal);
    }
  }

  async #woken(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    this.#timer ??= setInterval(() => this.#look(), interval);
    await promise;
    signal.removeEventListener("abort", wake);
    this.#waiting.delete(wake);
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    if (this.#isClosed) return;
    const before = this.#version;
    try {
      this.#version = this.#dataVersion();
    } catch {
      // It cannot be read now, and is read again soon; a caller that reads a table sees the error.
    }
    if (this.#version === before) return;
    this.#mark += 1;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
