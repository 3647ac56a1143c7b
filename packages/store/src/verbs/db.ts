/**
 * What a verb may do inside its transaction. A verb is a generator, so that one text serves both databases: SQLite
 * returns the result of a statement at once, and the verb runs to its end without a pause; PostgreSQL yields the
 * promise of the result.
 */

export type Query<Result> = Generator<Promise<unknown>, Result, unknown>;

export type Value = string | number | null | Uint8Array;
export type Parameters = Readonly<Record<string, Value>>;

export interface Db {
  /** Applied to the JSON text of every event; the result must still be JSON. */
  readonly redact: (text: string) => string;
  /** Real path of Reprise's home, in which places of pins may lie; null if there is none. */
  readonly home: string | null;
  /** The store's clock. Read it after a lock, not before. */
  now(): Query<number>;
  /** The first row. */
  get<Row>(sql: string, parameters?: Parameters): Query<Row | undefined>;
  all<Row>(sql: string, parameters?: Parameters): Query<Row[]>;
  /** Writes without waiting for the result. If it fails, the transaction does. */
  run(sql: string, parameters?: Parameters): Query<void>;
  /** Returns how many rows changed. */
  change(sql: string, parameters?: Parameters): Query<number>;
  /**
   * Waits until no other transaction has locked any of the names that `select` returns, and locks them until this
   * one ends. SQLite has one writer at a time and ignores it.
   */
  lock(select: string, parameters?: Parameters): Query<void>;
  /**
   * The last step of a verb: reads what it returns. PostgreSQL commits without waiting for the result. If the connection
   * is lost meanwhile, `read` runs again on another one, so it changes nothing, and a write returns its result as it is.
   */
  last<Result>(read: (db: Db) => Query<Result>): Query<Result>;
  /** The names that this transaction has locked, which need no second lock. */
  readonly locked: { has(name: string): boolean; add(name: string): void };
  /** What the databases write differently. */
  readonly dialect: Dialect;
}

export interface Dialect {
  /** The number of a new event among all events; `:seq` is used if it is not NULL. */
  readonly eventSeq: string;
  /** A condition on `event`: no event with a lower number can still appear. */
  readonly isVisible: string;
  /** The position of a new row of `due`. */
  readonly duePosition: string;
}
