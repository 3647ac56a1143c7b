/** Removes a call without an answer, so that it can be made again. */

import type { Verb } from "../verb.ts";

export const dropCall: Verb<"dropCall"> = function* (db, { token, key }) {
  yield* db.run("DELETE FROM call WHERE token = :token AND key = :key AND status IS NULL", {
    token,
    key,
  });
};
