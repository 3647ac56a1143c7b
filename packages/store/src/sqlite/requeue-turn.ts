/** Puts a running turn of which nothing was started back in line, as if it had not been claimed. */

import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import { releaseLeases } from "./line.ts";
import type { Verb } from "./verb.ts";

export const requeueTurn: Verb<"requeueTurn"> = (db, { turn, token, at }) => {
  const { key, stream } = requireHeld(db, { turn, token }, ["running"]);
  // Its decision comes to nothing, and so does the failure it counted.
  db.run(
    `UPDATE session SET epoch = epoch - (
       SELECT count(*) FROM attempt WHERE turn = :turn AND ending IS NULL AND bumped_epoch = 1)
     WHERE key = :key`,
    { turn, key },
  );
  db.run("DELETE FROM attempt WHERE turn = :turn AND ending IS NULL", { turn });
  db.run("UPDATE turn SET status = 'queued', started_at = NULL WHERE id = :turn", { turn });
  releaseLeases(db, turn);
  appendEvent(db, stream, { type: "turn.requeued", data: { turn } }, at);
};
