/** Judges the provider's history beside the pin: same, grown, shortened, altered or gone. */

import { chain, type Hash } from "../conversation/slice.ts";
import type { Usage } from "../usage/usage.ts";
import type { Damage, HistoryState } from "./decision.ts";
import type { ChainEnd, Fork, Handle, Pin } from "./pin.ts";

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
  /** The running totals that it has of its own usage, where it counts so. */
  readonly totals?: Usage | null;
}

/** What our checkpoint of that history is worth. */
export type CheckpointState = "whole" | "none" | "damaged" | "newer" | "foreign";

export function judgeHistory(
  pin: Pin,
  found: History | "missing" | "unreadable",
  checkpoint: CheckpointState,
  hash: Hash,
): HistoryState {
  if (pin.fork && (pin.fork.by !== "copy" || found === "missing"))
    return judgeFork(pin, pin.fork, found, checkpoint, hash);
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

/** The provider session whose history is compared with the pin: of a fork by command that is its source. */
export function judgedHandle({ handle, fork }: Pin): Handle {
  return fork?.by === "command" && fork.source ? fork.source : handle;
}

function judgeFork(
  { fork: _, ...pin }: Pin,
  { by }: Fork,
  found: History | "missing" | "unreadable",
  checkpoint: CheckpointState,
  hash: Hash,
): HistoryState {
  if (by === "transcript") return { state: "unforkable", why: "unable" };
  if (by === "copy")
    return checkpoint === "whole" ? { state: "forkable" } : damaged("missing", checkpoint);
  const source = judgeHistory(pin, found, "none", hash);
  if (source.state === "same" || source.state === "unknown") return { state: "forkable" };
  return { state: "unforkable", why: source.state === "lost" ? source.found : "moved-on" };
}

/** The digest of the newest summary that the provider put in the place of earlier items. */
export function lastSummary({ items }: History): string | null {
  return items.findLast((item) => item.role === "summary")?.digest ?? null;
}

/** Since `before`, a summary took the place of earlier items, in the file or for the model alone. */
export function summarised({ items }: History, before: ChainEnd | null, hash: Hash): boolean {
  const digests = items.map((item) => item.digest);
  const kept = before !== null && chain(digests, hash, before.length).digest === before.digest;
  return items.slice(kept ? before.length : 0).some(({ role }) => role === "summary");
}

function damaged(found: Damage, checkpoint: CheckpointState): HistoryState {
  return checkpoint === "whole"
    ? { state: "restorable", found }
    : { state: "lost", found, checkpoint };
}
