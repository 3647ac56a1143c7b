/** Removes a claimed row, or makes it due again; no effect if the claim has another owner. */

import type { Verb } from "../verb.ts";

export const settleDue: Verb<"settleDue"> = function* (db, { id, owner, again }) {
  if (again === null)
    yield* db.run("DELETE FROM due WHERE id = :id AND owner = :owner", { id, owner });
  else
    yield* db.run(
      `UPDATE due SET at = :again, failures = failures + 1, owner = NULL, claimed_until = NULL
       WHERE id = :id AND owner = :owner`,
      { id, owner, again },
    );
};
