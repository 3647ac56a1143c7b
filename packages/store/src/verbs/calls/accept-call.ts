/** Records the turn or run that a call started. */

import type { Verb } from "../verb.ts";

export const acceptCall: Verb<"acceptCall"> = function* (db, { token, key, subject }) {
  yield* db.run(
    "UPDATE call SET subject = :subject WHERE token = :token AND key = :key AND status IS NULL",
    { token, key, subject },
  );
};
