/** Transactions on PostgreSQL, and what happens when one conflicts with others or loses its connection. */

import { setTimeout as pause } from "node:timers/promises";
import type { Db, Query } from "../verbs/db.ts";
import type { Transactions } from "../verbs/transactions.ts";
import { type BoundVerb, type TransactionId, UnconfirmedCommit } from "./connection.ts";
import { isConflict, isLost, isUnreachable, storeError } from "./errors.ts";
import { betweenRuns } from "./incarnation.ts";
import type { Pool } from "./pool.ts";

/** A verb that waits to be written with the others of this turn of the event loop. */
interface Queued {
  readonly verb: BoundVerb<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface TransactionsOptions {
  readonly pool: Pool;
  readonly database: string;
  /** How long a verb waits for a server that restarts, in milliseconds. */
  readonly patience: number;
}

/**
 * Every write is durable, also where a caller would be content with a buffered one. That may be lost only together with
 * the process that relies on it, and a server that crashes takes what was not on its disk while its clients live on: a
 * turn that runs would be gone, and the fencing token of a live owner would be given again.
 */
export function transactionsOn(options: TransactionsOptions): Transactions {
  const { pool } = options;
  const writeAlone = async <Result>(verb: BoundVerb<Result>) => {
    const [result] = await attempt(options, () =>
      pool.use((connection) => connection.write([verb])),
    );
    return result as Result;
  };

  let queued: Queued[] = [];
  const writeQueued = async () => {
    const batch = queued;
    queued = [];
    const verbs = batch.map(({ verb }) => verb);
    try {
      const results = await attempt(options, () =>
        pool.use((connection) => connection.write(verbs)),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
    } catch (error) {
      // While the server cannot be reached, it is unknown whether they were written.
      if (batch.length === 1 || isUnreachable(error)) for (const { reject } of batch) reject(error);
      // One of them failed, so nothing was written: each is written in its own transaction.
      else for (const { verb, resolve, reject } of batch) writeAlone(verb).then(resolve, reject);
    }
  };
  const enqueue = <Result>(verb: BoundVerb<Result>) =>
    new Promise<Result>((resolve, reject) => {
      if (queued.length === 0) setImmediate(writeQueued);
      queued.push({ verb, resolve: resolve as Queued["resolve"], reject });
    });

  const write: Transactions["write"] =
    (verb) =>
    (...input) =>
      writeAlone(on(verb, input));
  const writeTogether: Transactions["writeTogether"] = (verb) => (input) =>
    enqueue(on(verb, [input]));
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
    write,
    writeBuffered: write,
    writeAtLevel: write,
    writeTogether,
    writeTogetherBuffered: writeTogether,
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
        if (outcome === "committed") return (await resultOf(pool, unconfirmed)) as Result;
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

async function resultOf(pool: Pool, { result }: UnconfirmedCommit): Promise<unknown> {
  if ("value" in result) return result.value;
  // It was read by a verb that was written alone.
  return [await pool.use((connection) => connection.read(result.read))];
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
