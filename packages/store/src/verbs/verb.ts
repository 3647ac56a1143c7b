/** The type of a verb's implementation: the contract's input and output, inside a transaction. */

import type { Store } from "../store.ts";
import type { Db, Query } from "./db.ts";

export type Verb<Name extends keyof Store> = (
  db: Db,
  ...input: Parameters<Store[Name]>
) => Query<Awaited<ReturnType<Store[Name]>>>;
