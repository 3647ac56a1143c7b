/** Reads the pins of every agent with a confirmed turn under a key. */

import type { Verb } from "../verb.ts";
import { pinFrom } from "./pin.ts";

export const listPins: Verb<"listPins"> = function* (db, key) {
  return (yield* db.all<{ data: string }>("SELECT data FROM pin WHERE key = :key ORDER BY agent", {
    key,
  })).map(({ data }) => pinFrom(db, data));
};
