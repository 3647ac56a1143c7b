/** The state of a provider's history, and the checkpoint that could restore it. Changes nothing. */

import type { Message } from "@reprise/core/conversation/message";
import { type ChainEnd, measureSlice, sinceOpening } from "@reprise/core/conversation/slice";
import { takenBackMessages } from "@reprise/core/conversation/taken-back";
import type { HistoryState, Wanted } from "@reprise/core/session/decision";
import { continued } from "@reprise/core/session/guards";
import { pinnedAmong } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import type { SessionFacts } from "@reprise/store/contract/sessions";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { findRestoration, type Restoration } from "./checkpoint.ts";
import { type FoundHistory, judgeFound } from "./read-history.ts";

type Asked = Pick<Wanted, "key" | "agent" | "rules">;

export interface Examination {
  readonly state: HistoryState;
  readonly restoration: Restoration | null;
  /** Ids of the messages that a person took back in the provider's own program. */
  readonly takenBack: readonly string[];
}

/** Reads the checkpoints only if the provider's history is not as expected. */
export async function examine(
  engine: Engine,
  { session, pin, outline }: SessionFacts,
  found: FoundHistory,
  wanted: Asked,
  restorable = true,
): Promise<Examination> {
  const as = (state: HistoryState, restoration: Restoration | null = null): Examination => {
    return { state, restoration, takenBack: [] };
  };
  if (pin === null) return as({ state: "unknown" });
  const judged = judgeFound(pin, found, "whole");
  if (judged.state === "rewound") {
    const transcript = session ? await engine.store.readTranscript(session.conversation) : [];
    const messages = given(pin, wanted, transcript);
    const pinned = pinnedAmong(found.earlier, pin, sha256)?.items.slice(0, pin.history?.length);
    const takenBack = takenBackMessages(messages, pinned ?? [], judged.kept).map(({ id }) => id);
    return { ...as({ ...judged, takenBack: takenBack.length }), takenBack };
  }
  const undone = judged.state === "unconfirmed" && !judged.tools;
  const forked = judged.state === "forkable" && pin.fork?.by === "copy";
  if (judged.state !== "restorable" && !undone && !forked) return as(judged);
  // The checkpoint may be whole: the provider's folder may be read-only or full.
  if (!restorable) return as(judgeFound(pin, found, "not restored"));

  const { key, agent } = wanted;
  const kept = await engine.store.readCheckpoints({ key, agent, handle: pin.handle.id });
  const restoration = findRestoration(kept, pin, ({ given, history: then, residue }) =>
    undone
      ? then?.digest === pin.history?.digest && residue === null
      : given.digest === pin.given.digest || isPrefix(given, wanted, outline),
  );
  if (typeof restoration === "string") return as(judgeFound(pin, found, restoration));
  if (judged.state !== "restorable") return as(judged, restoration);
  const { earlier, pin: then } = restoration;
  return as({ ...judged, earlier, unconfirmed: then.residue !== null }, restoration);
}

/** The messages that this provider session was sent or answered, including those of later turns. */
function given(pin: Pin, wanted: Asked, transcript: readonly Message[]): readonly Message[] {
  const slice = measureSlice(transcript, wanted.agent, pin.given, sha256);
  const { length } = continued(wanted, { slice });
  const messages = length === 0 ? [] : sinceOpening(transcript).slice(-length);
  return messages.filter(({ agent }) => agent === wanted.agent);
}

/** What the provider session was given at that time is still the beginning of the conversation. */
function isPrefix(given: ChainEnd, wanted: Asked, outline: SessionFacts["outline"]): boolean {
  const slice = measureSlice(outline, wanted.agent, given, sha256);
  return continued(wanted, { slice }).prefix === given.digest;
}
