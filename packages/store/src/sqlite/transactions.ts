/** Transactions on SQLite: a verb runs to its end in one call, because no statement is waited for. */

import type { Query } from "../verbs/db.ts";
import type { Transactions } from "../verbs/transactions.ts";
import type { SqliteConnection } from "./connection.ts";

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
