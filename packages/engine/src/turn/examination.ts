/** What became of a provider's history, and what could be put back in its place. It changes nothing. */

import { measureSlice } from "@reprise/core/conversation/slice";
import type { HistoryState, Wanted } from "@reprise/core/session/decision";
import { continued } from "@reprise/core/session/guards";
import { type History, judgeHistory } from "@reprise/core/session/history";
import type { ChainEnd } from "@reprise/core/session/pin";
import type { Subject } from "@reprise/store/store";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { findRestoration, type Restoration } from "./checkpoint.ts";

type Asked = Pick<Wanted, "key" | "agent" | "rules">;

export interface Examination {
  readonly state: HistoryState;
  readonly restoration: Restoration | null;
}

/** The checkpoints are read only when the provider's history is not what it should be. */
export async function examine(
  engine: Engine,
  { pin, outline }: Subject,
  history: History | "missing" | "unreadable",
  wanted: Asked,
  restorable = true,
): Promise<Examination> {
  if (pin === null) return { state: { state: "unknown" }, restoration: null };
  const judged = judgeHistory(pin, history, "whole", sha256);
  const undone = judged.state === "unconfirmed" && !judged.tools;
  const forked = judged.state === "forkable" && pin.fork?.by === "copy";
  if (judged.state !== "restorable" && !undone && !forked)
    return { state: judged, restoration: null };
  if (!restorable)
    return { state: judgeHistory(pin, history, "damaged", sha256), restoration: null };

  const { key, agent } = wanted;
  const kept = await engine.store.readCheckpoints({ key, agent, handle: pin.handle.id });
  const found = findRestoration(kept, pin, ({ given, history: then, residue }) =>
    undone
      ? then?.digest === pin.history?.digest && residue === null
      : given.digest === pin.given.digest || isPrefix(given, wanted, outline),
  );
  if (typeof found === "string")
    return { state: judgeHistory(pin, history, found, sha256), restoration: null };
  if (judged.state !== "restorable") return { state: judged, restoration: found };
  const { earlier, pin: then } = found;
  return { state: { ...judged, earlier, unconfirmed: then.residue !== null }, restoration: found };
}

/** What a provider session was given then still is how the conversation goes now. */
function isPrefix(given: ChainEnd, wanted: Asked, outline: Subject["outline"]): boolean {
  const slice = measureSlice(outline, wanted.agent, given, sha256);
  return continued(wanted, { slice }).prefix === given.digest;
}
