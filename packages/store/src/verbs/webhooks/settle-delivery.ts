/** Records the result of a delivery and when to retry it; no effect if the claim has another owner. */

import type { Verb } from "../verb.ts";

export const settleDelivery: Verb<"settleDelivery"> = function* (
  db,
  { id, owner, state, status, error, again, at },
) {
  const due = `webhook:${id}`;
  const settled =
    again === null
      ? yield* db.change("DELETE FROM due WHERE id = :due AND owner = :owner", { due, owner })
      : yield* db.change(
          `UPDATE due SET at = :again, failures = failures + 1, owner = NULL, claimed_until = NULL
           WHERE id = :due AND owner = :owner`,
          { due, owner, again },
        );
  if (settled === 0) return;
  yield* db.run(
    `UPDATE delivery SET state = :state, tries = tries + 1, status = :status, error = :error,
       tried_at = :at, next_at = :again
     WHERE id = :id`,
    { id, state, status, error, again, at },
  );
};
