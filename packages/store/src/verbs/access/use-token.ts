/** Records when a token was last used. */

import type { Verb } from "../verb.ts";

export const useToken: Verb<"useToken"> = function* (db, { hash, at }) {
  yield* db.run("UPDATE token SET last_used_at = :at WHERE hash = :hash", { hash, at });
};
