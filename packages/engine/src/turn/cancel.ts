/** `cancel`: ends a turn and its processes, whoever carries it. */

import { parse } from "@reprise/core/api/parse";
import type { TurnResult } from "@reprise/core/api/reprise";
import { cancelTurnSchema } from "@reprise/core/api/schemas";
import { CancelReason } from "@reprise/core/session/cancel-reason";
import type { Engine } from "../engine.ts";
import { carryTurn } from "./carry.ts";
import { findTurn } from "./find-turn.ts";
import { turnResult } from "./views.ts";

export async function cancelTurn(
  engine: Engine,
  turnOrKey: string,
  options: { readonly by?: string } = {},
): Promise<TurnResult> {
  const { turn, by } = parse(cancelTurnSchema, { turn: turnOrKey, ...options });
  const found = await findTurn(engine, turn);
  const signal = AbortSignal.abort(by == null ? undefined : new CancelReason(by));
  const ended = await carryTurn(engine, found.id, { signal });
  return turnResult(ended ?? found, await engine.store.readSession(found.request.key));
}
