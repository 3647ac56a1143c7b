/** Writes how an attempt ended; false, and nothing changes, if it was already written. */

import type { FinishedAttempt } from "../../contract/turns.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { toJson } from "../json.ts";
import type { ClaimedTurnRow } from "./require-claim.ts";

export function* writeEnding(
  db: Db,
  { id: turn, stream }: ClaimedTurnRow,
  attempt: FinishedAttempt,
  at: number,
): Query<boolean> {
  const { number, ending, handle, exit, error, usage, tools, started, denied = [] } = attempt;
  const stored = yield* db.get<{ ending: string | null }>(
    "SELECT ending FROM attempt WHERE turn = :turn AND number = :number",
    { turn, number },
  );
  if (stored === undefined) throw new Error(`Turn ${turn} has no attempt ${number}.`);
  if (stored.ending !== null) return false;
  yield* db.run(
    `UPDATE attempt SET ending = :ending, handle = :handle, exit = :exit, error = :error,
       usage = :usage, tools = :tools, denied = :denied, ended_at = :at
     WHERE turn = :turn AND number = :number`,
    {
      turn,
      number,
      ending,
      handle,
      exit,
      error: toJson(error),
      usage: toJson(usage),
      tools: tools ? 1 : 0,
      denied: denied.length > 0 ? JSON.stringify(denied) : null,
      at,
    },
  );
  if (started === false)
    yield* db.run(
      "UPDATE attempt SET launch = NULL, argv = NULL WHERE turn = :turn AND number = :number",
      { turn, number },
    );
  yield* appendEvent(
    db,
    stream,
    { type: "attempt.ended", data: { turn, attempt: number, ending } },
    at,
  );
  return true;
}
