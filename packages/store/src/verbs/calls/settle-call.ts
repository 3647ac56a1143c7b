/** Stores the answer to a call, for repeated calls. */

import type { Verb } from "../verb.ts";

export const settleCall: Verb<"settleCall"> = function* (
  db,
  { token, key, status, body, session },
) {
  yield* db.run(
    `UPDATE call SET status = :status, body = :body, session = :session
     WHERE token = :token AND key = :key AND status IS NULL`,
    { token, key, status, body, session },
  );
};
