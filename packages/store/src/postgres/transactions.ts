/** Transactions on PostgreSQL, and what happens when one conflicts with others or loses its connection. */

import { setTimeout as pause } from "node:timers/promises";
import type { Durability } from "../contract/database.ts";
import type { Db, Query } from "../verbs/db.ts";
import type { Transactions } from "../verbs/transactions.ts";
import { type BoundVerb, UnconfirmedCommit } from "./connection.ts";
import { isConflict, isLost, storeError } from "./errors.ts";
import type { Pool } from "./pool.ts";

/** How long a verb waits for a server that restarts, in milliseconds. */
const patience = 20_000;

/** A verb that waits to be written with the others of this turn of the event loop. */
interface Queued {
  readonly verb: BoundVerb<unknown>;
  readonly durability: Durability;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export function transactionsOn(pool: Pool, database: string): Transactions {
  const write = async <Result>(verb: BoundVerb<Result>, durability: Durability) => {
    const [result] = await attempt(pool, database, () =>
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
      const results = await attempt(pool, database, () =>
        pool.use((connection) => connection.write(verbs, durable ? "durable" : "buffered")),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
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
        attempt(pool, database, () => pool.use((connection) => connection.read(on(verb, input)))),
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
  pool: Pool,
  database: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const deadline = performance.now() + patience;
  let unconfirmed: UnconfirmedCommit | null = null;
  for (let delay = 5; ; delay = Math.min(2 * delay, 500)) {
    try {
      if (unconfirmed && (await wasCommitted(pool, unconfirmed)))
        return unconfirmed.result as Result;
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

async function wasCommitted(pool: Pool, { transaction }: UnconfirmedCommit): Promise<boolean> {
  for (;;) {
    const [row] = await pool.use((connection) =>
      connection.query<{ status: string }>(
        "SELECT pg_xact_status(CAST(:transaction AS xid8)) AS status",
        { transaction },
      ),
    );
    if (row?.status !== "in progress") return row?.status === "committed";
    await pause(20);
  }
}
