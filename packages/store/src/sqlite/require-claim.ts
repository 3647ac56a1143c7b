/** The proof that whoever writes for a turn still is its owner. */

import { FencedError } from "@reprise/core/errors/errors";
import type { TurnStatus } from "@reprise/core/session/turn";
import type { TurnClaim } from "../store.ts";
import type { Db } from "./db.ts";

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

/** @throws FencedError when the turn is in another status, or its token is another one. */
export function requireClaim(
  db: Db,
  { turn, token }: TurnClaim,
  statuses: readonly TurnStatus[] = ["running", "waiting"],
): ClaimedTurnRow {
  const row = db.get<Omit<ClaimedTurnRow, "stream"> & { token: number }>(
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
