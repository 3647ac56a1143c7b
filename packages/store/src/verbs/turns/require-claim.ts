/** Checks that the caller still owns the turn it writes for. */

import { FencedError } from "@reprise/core/errors/errors";
import type { TurnStatus } from "@reprise/core/session/turn";
import type { TurnClaim } from "../../contract/turns.ts";
import type { Db, Query } from "../db.ts";
import { lockTurn } from "../locks.ts";

export interface ClaimedTurnRow {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  readonly status: TurnStatus;
  readonly agent: string;
  readonly provider: string;
  readonly conversation: string;
  readonly stream: string;
}

/** @throws FencedError if the turn has another status or another token. */
export function* requireClaim(
  db: Db,
  { turn, token }: TurnClaim,
  statuses: readonly TurnStatus[] = ["running", "waiting"],
): Query<ClaimedTurnRow> {
  yield* lockTurn(db, turn);
  const row = yield* db.get<Omit<ClaimedTurnRow, "stream"> & { token: number }>(
    `SELECT turn.id, turn.key, turn.seq, turn.status, turn.agent, turn.provider, turn.token,
       session.conversation
     FROM turn JOIN session ON session.key = turn.key
     WHERE turn.id = :turn`,
    { turn },
  );
  if (row === undefined || row.token !== token || !statuses.includes(row.status))
    throw new FencedError(turn);
  return { ...row, stream: `session:${row.key}` };
}
