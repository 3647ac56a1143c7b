/** The transactions in which verbs run. Each verb's durability is chosen where its noun is composed. */

import type { Durability } from "../contract/database.ts";
import type { Db } from "./db.ts";

export type Transactions = ReturnType<typeof transactionsOn>;

export function transactionsOn(db: Db) {
  const writeAs =
    (durability: Durability) =>
    <Input extends unknown[], Output>(verb: (db: Db, ...input: Input) => Output) =>
    async (...input: Input): Promise<Output> =>
      db.write(() => verb(db, ...input), durability);
  return {
    db,
    read:
      <Input extends unknown[], Output>(verb: (db: Db, ...input: Input) => Output) =>
      async (...input: Input): Promise<Output> =>
        db.read(() => verb(db, ...input)),
    write: writeAs("durable"),
    writeAtLevel:
      <Input extends { durability?: Durability }, Output>(verb: (db: Db, input: Input) => Output) =>
      async (input: Input): Promise<Output> =>
        db.write(() => verb(db, input), input.durability),
    /** A lease is only as durable as the process that holds it: a power loss takes both. */
    writeBuffered: writeAs("buffered"),
    /** Many runs take a step at once, so their writes share a transaction. */
    writeTogether:
      <Input extends { durability?: Durability }, Output>(verb: (db: Db, input: Input) => Output) =>
      (input: Input): Promise<Output> =>
        db.writeTogether(() => verb(db, input), input.durability),
  };
}
