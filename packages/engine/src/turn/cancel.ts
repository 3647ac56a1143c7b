/** `cancel`: ends a turn and its processes, whichever process owns it. */

import { parse } from "@reprise/core/api/parse";
import type { CancelTurn, TurnResult } from "@reprise/core/api/reprise";
import { cancelTurnSchema } from "@reprise/core/api/schemas";
import { StoreError } from "@reprise/core/errors/errors";
import { CancelReason } from "@reprise/core/session/cancel-reason";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { recordingFailure } from "../hosts.ts";
import { driveTurn } from "./acquire.ts";
import { findTurnToCancel } from "./find-turn.ts";
import { endOwnerless } from "./owner-gone.ts";
import { driven, turnResult } from "./run-turn.ts";

export async function cancelTurn(
  engine: Engine,
  turnOrKey: string,
  options: CancelTurn = {},
): Promise<TurnResult> {
  const { turn, by, ownerGone } = parse(cancelTurnSchema(), { turn: turnOrKey, ...options });
  const found = await findTurnToCancel(engine, turn);
  if (ownerGone) {
    return turnResult(await endOwnerless(engine, found, by ?? null));
  }
  if (!openStatuses.includes(found.status)) return alreadyEnded(found);
  const signal = AbortSignal.abort(by == null ? undefined : new CancelReason(by));
  try {
    const ended = await driveTurn(engine, found.id, { signal });
    return turnResult(driven(found, ended));
  } catch (error) {
    throw await notRecorded(engine, found.id, error);
  }
}

/** Leaves the turn as it is and says so in a notice. */
function alreadyEnded(turn: Turn): TurnResult {
  const { id, seq, status, request } = turn;
  const text = `Nothing was cancelled: turn ${seq} of ${request.key} (${id}) had already ended (${status}).`;
  const shown = turnResult(turn);
  return { ...shown, notices: [...shown.notices, { code: "already-ended", text }] };
}

/** The processes are ended before anything is written, so on a full disk only the record is missing. */
async function notRecorded(engine: Engine, id: string, error: unknown): Promise<unknown> {
  const failure = recordingFailure(error);
  const turn = failure && (await engine.store.readTurn(id).catch(() => null));
  if (!failure || turn === null || !openStatuses.includes(turn.status)) return error;
  return turn.status === "running"
    ? new StoreError(
        failure.code,
        `The processes of turn ${id} were ended, but the cancellation cannot be recorded. ${failure.message}`,
        "Free some disk space: then a running server, or the next command on the session, records it.",
      )
    : new StoreError(
        failure.code,
        `Turn ${id} is still ${turn.status}: the cancellation cannot be recorded. ${failure.message}`,
        "Free some disk space, then cancel it again.",
      );
}
