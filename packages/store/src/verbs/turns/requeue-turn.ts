/** Queues a turn again that was not launched, for any process to run. */

import type { Verb } from "../verb.ts";
import { releaseLeases } from "./queue.ts";
import { requireClaim } from "./require-claim.ts";

export const requeueTurn: Verb<"requeueTurn"> = function* (db, { turn, token }) {
  yield* requireClaim(db, { turn, token }, ["running"]);
  const launched = yield* db.get(
    "SELECT 1 FROM attempt WHERE turn = :turn AND launch IS NOT NULL AND ending IS NULL",
    { turn },
  );
  if (launched !== undefined) throw new Error(`Turn ${turn} was launched.`);
  yield* db.run(
    "UPDATE turn SET status = 'queued', owner = NULL, token = token + 1 WHERE id = :turn",
    {
      turn,
    },
  );
  yield* releaseLeases(db, turn);
};
