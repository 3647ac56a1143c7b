/** Transactions on PostgreSQL, and what happens when one conflicts with others or loses its connection. */

import { setTimeout as pause } from "node:timers/promises";
import type { Durability } from "../contract/database.ts";
import type { Db, Query } from "../verbs/db.ts";
import type { Transactions } from "../verbs/transactions.ts";
import { type BoundVerb, type TransactionId, UnconfirmedCommit } from "./connection.ts";
import { isConflict, isLost, isUnreachable, storeError } from "./errors.ts";
import { betweenRuns } from "./incarnation.ts";
import type { Pool } from "./pool.ts";

/** A verb that waits to be written with the others of this turn of the event loop. */
interface Queued {
  readonly verb: BoundVerb<unknown>;
  readonly durability: Durability;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface TransactionsOptions {
  readonly pool: Pool;
  readonly database: string;
  /** How long a verb waits for a server that restarts, in milliseconds. */
  readonly patience: number;
}

export function transactionsOn(options: TransactionsOptions): Transactions {
  const { pool } = options;
  const write = async <Result>(verb: BoundVerb<Result>, durability: Durability) => {
    const [result] = await attempt(options, () =>
      pool.use((connection) => connection.write([verb], durability)),
    );
    return result as Result;
  };

  let queued: Queued[] = [];
  const writeQueued = async () => {
    const batch = queued;
    queued = [];
    const durable = batch.some(({ durability }) => durability === "durable");
    const verbs = batch.map(({ verb }) => verb);
    try {
      const results = await attempt(options, () =>
        pool.use((connection) => connection.write(verbs, durable ? "durable" : "buffered")),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
    } catch (error) {
      // While the server cannot be reached, it is unknown whether they were written.
      if (batch.length === 1 || isUnreachable(error)) for (const { reject } of batch) reject(error);
      // One of them failed, so nothing was written: each is written in its own transaction.
      else
        for (const { verb, durability, resolve, reject } of batch)
          write(verb, durability).then(resolve, reject);
    }
  };
  const writeTogether = <Result>(verb: BoundVerb<Result>, durability: Durability) =>
    new Promise<Result>((resolve, reject) => {
      if (queued.length === 0) setImmediate(writeQueued);
      queued.push({ verb, durability, resolve: resolve as Queued["resolve"], reject });
    });

  return {
    read:
      (verb) =>
      (...input) =>
        attempt(options, () => pool.use((connection) => connection.read(on(verb, input)))),
    readEvents:
      (verb) =>
      (...input) =>
        attempt(options, () =>
          pool.use((connection) => connection.read(on(verb, input), "events")),
        ),
    write:
      (verb) =>
      (...input) =>
        write(on(verb, input), "durable"),
    writeBuffered:
      (verb) =>
      (...input) =>
        write(on(verb, input), "buffered"),
    writeAtLevel: (verb) => (input) => write(on(verb, [input]), input.durability ?? "durable"),
    writeTogether: (verb) => (input) => writeTogether(on(verb, [input]), "durable"),
    writeTogetherBuffered: (verb) => (input) => writeTogether(on(verb, [input]), "buffered"),
  };
}

function on<Input extends unknown[], Output>(
  verb: (db: Db, ...input: Input) => Query<Output>,
  input: Input,
): BoundVerb<Output> {
  return (db) => verb(db, ...input);
}

/** Tries again after a conflict, and after the connection was lost, unless the transaction was committed. */
async function attempt<Result>(
  { pool, database, patience }: TransactionsOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + patience;
  let unconfirmed: UnconfirmedCommit | null = null;
  for (let delay = 5; ; delay = Math.min(2 * delay, 500)) {
    try {
      if (unconfirmed) {
        const outcome = await outcomeOf(pool, unconfirmed.transaction);
        if (outcome === "committed") return unconfirmed.result as Result;
        if (outcome === "in progress") throw unconfirmed;
        if (outcome === "unknown") throw storeError(unconfirmed.cause, database);
      }
      unconfirmed = null;
      return await work();
    } catch (error) {
      if (error instanceof UnconfirmedCommit) unconfirmed = error;
      const passes = error instanceof UnconfirmedCommit || isConflict(error) || isLost(error);
      if (!passes || performance.now() > deadline)
        throw storeError(error instanceof UnconfirmedCommit ? error.cause : error, database);
    }
    await pause(delay * (0.5 + Math.random()));
  }
}

type Outcome = "committed" | "in progress" | "aborted" | "unknown";

/**
 * A transaction that is still in progress is ended: the server may not notice for hours that its connection was lost,
 * and others wait for its locks. In the run of the server after its own, a lower number than the first of that run is
 * still that of the transaction; in a later run it may have been given again, so it says nothing.
 */
async function outcomeOf(pool: Pool, { number, run, base }: TransactionId): Promise<Outcome> {
  return pool.use(async (connection) => {
    const [row] = await connection.query<{ outcome: Outcome | null }>(
      `SELECT CASE
         WHEN id = :run THEN pg_xact_status(CAST(:number AS xid8))
         WHEN CAST(:number AS xid8) >= first_transaction THEN 'aborted'
         WHEN event_base = CAST(:next AS BIGINT) THEN pg_xact_status(CAST(:number AS xid8))
         ELSE 'unknown'
       END AS outcome
       FROM incarnation`,
      { number, run, next: base + betweenRuns },
    );
    if (row?.outcome === "in progress")
      await connection.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_xid = CAST(CAST(:number AS xid8) AS xid)`,
        { number },
      );
    return row?.outcome ?? "aborted";
  });
}
