/** What happens before the launch: importing native turns, and restoring or forking the history. */

import { join } from "node:path";
import { isNative } from "@reprise/core/session/decide";
import type { Decision } from "@reprise/core/session/decision";
import type { FileSource } from "@reprise/providers/provider";
import type { TurnClaim } from "@reprise/store/contract/turns";
import type { Engine } from "../engine.ts";
import { judgeFound, readHistory, takeCheckpoint } from "./checkpoint.ts";
import type { TurnContext } from "./observe.ts";
import { nativeTurns } from "./observe-after.ts";

/** Does what the decision asks for; false if that failed and the turn must be decided again. */
export async function prepare(
  engine: Engine,
  claim: TurnClaim,
  number: number,
  context: TurnContext,
): Promise<boolean> {
  const { decision } = context;
  if (decision.outcome !== "resume") return true;
  const copied = decision.prepare.includes("fork") && context.pin?.fork?.by === "copy";
  if (decision.prepare.includes("restore") || copied)
    return restore(engine, claim, context, join(engine.home.found(claim.turn), String(number)));
  return true;
}

/** Restores the provider's files; succeeds only if the history then equals the confirmed one. */
async function restore(
  engine: Engine,
  claim: TurnClaim,
  { provider, restoration }: TurnContext,
  aside: string,
): Promise<boolean> {
  if (restoration === null) return false;
  const { files, pin } = restoration;
  try {
    await provider.copyIn(pin.handle, files, aside);
  } catch {
    return false;
  }
  const { state } = judgeFound(pin, await readHistory(provider, pin), "none");
  if (state !== "same" && state !== "unconfirmed") return false;
  await engine.store.recordRestore({ ...claim, pin, at: engine.now() });
  return true;
}

/**
 * Imports what a person did in the provider's own program, so that the decision sees the current
 * conversation; false if there is nothing to import, or the decision does not use the session. `source` is the one of
 * the observation.
 */
export async function importNativeTurns(
  engine: Engine,
  claim: TurnClaim,
  context: TurnContext,
  source: FileSource,
): Promise<boolean> {
  const { decision, provider, facts } = context;
  const at = engine.now();
  const typed = nativeTurns(context, at);
  if (typed === null || decision.outcome === "refuse" || decision.outcome === "blank") return false;
  // Undoing an unconfirmed turn must restore the state after what was typed, not before it.
  const checkpoint = await takeCheckpoint(provider, typed.pin, facts.checkpoint, source);
  await engine.store.importMessages({ ...claim, ...typed, checkpoint, at });
  return true;
}

/** The decision after an import, with the notices about what was imported. */
export function afterImport<D extends Decision>(decision: D, { decision: before }: TurnContext): D {
  const known = new Set(decision.notices.map(({ code }) => code));
  const native = before.notices.filter(({ code }) => isNative(code) && !known.has(code));
  const intact = before.verdicts.find(({ guard }) => guard === "intact");
  return {
    ...decision,
    notices: [...native, ...decision.notices],
    verdicts: decision.verdicts.map((each) => (each.guard === "intact" && intact) || each),
  };
}
