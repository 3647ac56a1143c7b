/** Judges the provider's history beside the pin: same, grown, shortened, altered or gone. */

import { chain, type Hash } from "../conversation/slice.ts";
import type { Damage, HistoryState } from "./decision.ts";
import type { Pin } from "./pin.ts";

/** One item of a provider's history, in the order in which a model would see it. */
export interface HistoryItem {
  readonly role: "user" | "assistant" | "tool" | "summary";
  readonly text: string;
  readonly digest: string;
}

/** A provider's history as it was found; null where it is missing, or `unreadable`. */
export interface History {
  readonly items: readonly HistoryItem[];
  readonly bytes: number;
  /** The provider replaced earlier items by a summary. */
  readonly compacted: boolean;
}

/** What our checkpoint of that history is worth. */
export type CheckpointState = "whole" | "none" | "damaged" | "newer" | "foreign";

export function judgeHistory(
  pin: Pin,
  found: History | "missing" | "unreadable",
  checkpoint: CheckpointState,
  hash: Hash,
): HistoryState {
  if (pin.history === null) return { state: "unknown" };
  if (typeof found === "string") return damaged(found, checkpoint);

  const digests = found.items.map((item) => item.digest);
  const { length, digest } = pin.history;
  const reaches = (end: { length: number; digest: string }) =>
    digests.length >= end.length && chain(digests, hash, end.length).digest === end.digest;

  if (!reaches({ length, digest })) {
    // A history that was compacted long ago can still be cut off: only a new summary explains a change.
    if (found.compacted && lastSummary(found) !== pin.summary) return { state: "compacted" };
    return damaged(digests.length < length ? "shorter" : "altered", checkpoint);
  }
  if (digests.length === length) return { state: "same" };

  const { residue } = pin;
  if (residue && digests.length === residue.history.length && reaches(residue.history))
    return {
      state: "unconfirmed",
      tools: residue.tools,
      restorable: checkpoint === "whole",
    };
  return { state: "advanced", items: digests.length - length };
}

/** The digest of the newest summary that the provider put in the place of earlier items. */
export function lastSummary({ items }: History): string | null {
  return items.findLast((item) => item.role === "summary")?.digest ?? null;
}

function damaged(found: Damage, checkpoint: CheckpointState): HistoryState {
  return checkpoint === "whole"
    ? { state: "restorable", found }
    : { state: "lost", found, checkpoint };
}
