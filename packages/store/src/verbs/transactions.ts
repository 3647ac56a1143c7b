/** The transactions in which verbs run. Each verb's durability is chosen where its noun is composed. */

import type { Durability } from "../contract/database.ts";
import type { Db, Query } from "./db.ts";

type Verb<Input extends unknown[], Output> = (db: Db, ...input: Input) => Query<Output>;
type Call<Input extends unknown[], Output> = (...input: Input) => Promise<Output>;
interface Level {
  readonly durability?: Durability;
}

export interface Transactions {
  read<Input extends unknown[], Output>(verb: Verb<Input, Output>): Call<Input, Output>;
  /** For verbs of one statement that uses `isVisible`. */
  readEvents<Input extends unknown[], Output>(verb: Verb<Input, Output>): Call<Input, Output>;
  write<Input extends unknown[], Output>(verb: Verb<Input, Output>): Call<Input, Output>;
  /** A lease is only as durable as the process that holds it: a power loss takes both. */
  writeBuffered<Input extends unknown[], Output>(verb: Verb<Input, Output>): Call<Input, Output>;
  writeAtLevel<Input extends Level, Output>(verb: Verb<[Input], Output>): Call<[Input], Output>;
  /** Many runs take a step at once, so their writes share a transaction. */
  writeTogether<Input, Output>(verb: Verb<[Input], Output>): Call<[Input], Output>;
  writeTogetherBuffered<Input, Output>(verb: Verb<[Input], Output>): Call<[Input], Output>;
}
