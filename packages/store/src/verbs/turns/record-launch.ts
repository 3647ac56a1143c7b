/** Records a launch before it is started, with its decision if that is not recorded yet. */

import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { writeDecision } from "./record-decision.ts";
import { requireClaim } from "./require-claim.ts";
import { selectAttempt } from "./turn-row.ts";

export const recordLaunch: Verb<"recordLaunch"> = function* (db, record) {
  const { turn, number, decided, launch, argv, handle, limit, at } = record;
  const claimed = yield* requireClaim(db, record);
  if (limit && (yield* liveOn(db, limit.host, turn)) >= limit.max) return null;
  if (decided) yield* writeDecision(db, claimed, number, decided, at);
  const launched = yield* db.change(
    `UPDATE attempt SET launch = :launch, argv = :argv, handle = :handle, started_at = :at
     WHERE turn = :turn AND number = :number AND ending IS NULL`,
    {
      turn,
      number,
      launch: JSON.stringify(launch),
      argv: JSON.stringify(argv),
      handle,
      at,
    },
  );
  if (launched === 0) throw new Error(`Turn ${turn} has no open attempt ${number}.`);
  const data = { turn, attempt: number };
  yield* appendEvent(db, claimed.stream, { type: "turn.launched", data }, at);
  return yield* selectAttempt(db, turn, number);
};

/** The number of launches on a host that have not ended, except those of one turn. */
function* liveOn(db: Db, host: string, except: string): Query<number> {
  const row = yield* db.get<{ live: number }>(
    `SELECT count(*) AS live FROM turn JOIN attempt ON attempt.turn = turn.id
     WHERE turn.status = 'running' AND turn.id <> :except AND attempt.ending IS NULL
       AND attempt.launch ->> 'host' = :host`,
    { host, except },
  );
  return row?.live ?? 0;
}
