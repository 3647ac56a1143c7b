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

/** Runs a verb, or what is left of it after `step`, and passes the result of each statement back to it. */
export async function drive<Result>(query: Query<Result>, step = query.next()): Promise<Result> {
  while (!step.done) {
    try {
      const value = await step.value;
      step = query.next(value);
    } catch (error) {
      step = query.throw(error);
    }
  }
  return step.value;
}

/**
 * Runs queries side by side, so that on a network their statements share round trips. Those of each query keep their
 * order, and the first statements of all are sent in the order of the queries.
 */
export function* together<Results extends unknown[]>(
  ...queries: { readonly [Index in keyof Results]: Query<Results[Index]> }
): Query<Results> {
  const results: Results[number][] = [];
  const waiting: Promise<void>[] = [];
  for (const [index, query] of queries.entries()) {
    const step = query.next();
    if (step.done) results[index] = step.value;
    else
      waiting.push(
        drive(query, step).then((result) => {
          results[index] = result;
        }),
      );
  }
  if (waiting.length > 0) yield allDone(waiting);
  return results as Results;
}

/** In the place of a query of `together` that is not needed. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for.
export function* nothing(): Query<null> {
  return null;
}

/** Waits for all of them, also if one fails: the others still use the transaction. */
async function allDone(waiting: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(waiting))
    if (result.status === "rejected") throw result.reason;
}
