/** The type of a verb's implementation: the contract's input and output, inside a transaction. */

import type { Store } from "../store.ts";
import type { Db } from "./db.ts";

export type Verb<Name extends keyof Store> = (
  db: Db,
  ...input: Parameters<Store[Name]>
) => Awaited<ReturnType<Store[Name]>>;
