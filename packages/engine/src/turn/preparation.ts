/** What comes before the launch: imported native turns, and a history that is restored or forked. */

import { join } from "node:path";
import { isNative } from "@reprise/core/session/decide";
import type { Decision } from "@reprise/core/session/decision";
import type { TurnClaim } from "@reprise/store/store";
import type { Engine } from "../engine.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import { nativeTurns } from "./native.ts";
import type { TurnContext } from "./observe.ts";
import { judgeFound, readHistory } from "./read-history.ts";

/** Does what the decision asks for; false when it could not be done and must be decided again. */
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

/** Puts the provider's files back, and believes it only when the history then is what was confirmed. */
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
 * Imports what a person did in the provider's own program, so that it is decided on the conversation as
 * it is now; false when there is nothing, or nothing is going to be launched with it.
 */
export async function importNativeTurns(
  engine: Engine,
  claim: TurnClaim,
  context: TurnContext,
): Promise<boolean> {
  const { decision, provider, facts } = context;
  // What came to a session since it was retired is what our own attempt left.
  if (facts.retired !== null) return false;
  const at = engine.now();
  const typed = nativeTurns(context, at);
  if (typed === null || decision.outcome === "refuse" || decision.outcome === "blank") return false;
  // A turn that leaves something behind is undone to here, not to before what was typed.
  const checkpoint = await takeCheckpoint(provider, typed.pin, facts.checkpoint);
  await engine.store.importMessages({ ...claim, ...typed, checkpoint, at });
  return true;
}

/** The decision after an import, with what was found before it. */
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
