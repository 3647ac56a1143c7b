/** What a decision to resume needs before the launch: a restored or forked history, imported native turns. */

import { join } from "node:path";
import { judgeHistory } from "@reprise/core/session/history";
import type { Held } from "@reprise/store/store";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { takeCheckpoint } from "./checkpoint.ts";
import { nativeTurns } from "./native.ts";
import type { Situation } from "./observe.ts";

/** Does what the decision asks for; false when it could not be done and must be decided again. */
export async function prepare(
  engine: Engine,
  held: Held,
  number: number,
  situation: Situation,
): Promise<boolean> {
  const { decision, observed } = situation;
  if (decision.outcome !== "resume") return true;
  const copied = decision.prepare.includes("fork") && situation.pin?.fork?.by === "copy";
  if (decision.prepare.includes("restore") || copied)
    return restore(engine, held, situation, join(engine.home.found(held.turn), String(number)));
  if (observed.history.state === "advanced") await importNativeTurns(engine, held, situation);
  return true;
}

/** Puts the provider's files back, and believes it only when the history then is what was confirmed. */
async function restore(
  engine: Engine,
  held: Held,
  { provider, restoration }: Situation,
  aside: string,
): Promise<boolean> {
  if (restoration === null) return false;
  const { files, pin } = restoration;
  try {
    await provider.copyIn(pin.handle, files, aside);
  } catch {
    return false;
  }
  const found = await provider.observe(pin.handle, sha256);
  const { state } = judgeHistory(pin, found, "none", sha256);
  if (state !== "same" && state !== "unconfirmed") return false;
  await engine.store.recordRestore({ ...held, pin, at: engine.now() });
  return true;
}

async function importNativeTurns(engine: Engine, held: Held, situation: Situation): Promise<void> {
  const { provider, subject } = situation;
  const at = engine.now();
  const typed = nativeTurns(situation, at);
  if (typed === null) return;
  // A turn that leaves something behind is undone to here, not to before what was typed.
  const checkpoint = await takeCheckpoint(provider, typed.pin, subject.checkpoint);
  await engine.store.importMessages({ ...held, ...typed, checkpoint, at });
}
