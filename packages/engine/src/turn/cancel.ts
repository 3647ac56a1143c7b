/** `cancel`: ends a turn and its processes, whoever carries it. */

import type { TurnResult } from "@reprise/core/api/reprise";
import type { Engine } from "../engine.ts";
import { carryTurn } from "./carry.ts";
import { findTurn } from "./find-turn.ts";
import { turnResult } from "./views.ts";

export async function cancelTurn(engine: Engine, turnOrKey: string): Promise<TurnResult> {
  const found = await findTurn(engine, turnOrKey);
  const ended = await carryTurn(engine, found.id, { signal: AbortSignal.abort() });
  return turnResult(ended ?? found, await engine.store.readSession(found.request.key));
}
