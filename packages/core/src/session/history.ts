/** Compares the provider's history with the pin: same, grown, rewound, shortened, altered or gone. */

import { type ChainEnd, chain, type Hash } from "../conversation/slice.ts";
import type { Usage } from "../usage/usage.ts";
import type { Damage, HistoryState } from "./decision.ts";
import type { Fork, Handle, Pin } from "./pin.ts";

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
  /** The provider's running totals of its usage, if it keeps them. */
  readonly totals?: Usage | null;
  /**
   * Digests of what else the model reads from the provider's files, in order: the system prompt, messages of
   * the program, long tool results. New ones are appended.
   */
  readonly context?: readonly string[];
  /** What a person sent and the provider's files have, but the agent does not continue from; left out if there is none. */
  readonly abandoned?: readonly AbandonedText[];
}

/** `end`: the size of the provider's file when it had been written. */
export interface AbandonedText {
  readonly text: string;
  readonly end: number;
}

/** The state of our checkpoint of that history. */
export type CheckpointState = "whole" | "none" | "damaged" | "newer" | "foreign" | "not restored";

/** `earlier`: histories that the provider's files may have had when they were pinned (`Provider.earlier`). */
export function judgeHistory(
  pin: Pin,
  found: History | "missing" | "unreadable",
  checkpoint: CheckpointState,
  hash: Hash,
  earlier: readonly History[] = [],
): HistoryState {
  if (pin.fork && (pin.fork.by !== "copy" || found === "missing"))
    return judgeFork(pin, pin.fork, found, checkpoint, hash, earlier);
  if (pin.history === null) return { state: "unknown" };
  if (typeof found === "string") return damaged(found, checkpoint);

  const { items } = found;
  const { length } = pin.history;
  if (!reaches(items, pin.history, hash)) {
    // A history that was compacted long ago can still be truncated: only a new summary explains a change.
    if (found.compacted && lastSummary(found) !== pin.summary) return { state: "compacted" };
    const pinned = pinnedAmong(earlier, pin, hash);
    if (pinned) {
      const kept = sharedItems(items, pinned.items.slice(0, length));
      return { state: "rewound", kept, items: items.length - kept, takenBack: 0 };
    }
    return damaged(items.length < length ? "shorter" : "altered", checkpoint);
  }
  if (!keepsContext(found, pin, hash)) return damaged("altered", checkpoint);
  if (items.length === length) return { state: "same" };

  const { residue } = pin;
  if (residue && items.length === residue.history.length && reaches(items, residue.history, hash))
    return {
      state: "unconfirmed",
      tools: residue.tools,
      restorable: checkpoint === "whole",
    };
  return { state: "advanced", items: items.length - length };
}

/** Finds the history that begins with the pinned one. */
export function pinnedAmong(
  earlier: readonly History[],
  pin: Pick<Pin, "history" | "context">,
  hash: Hash,
): History | null {
  const { history } = pin;
  if (history === null) return null;
  const isPinned = (then: History) =>
    reaches(then.items, history, hash) && keepsContext(then, pin, hash);
  return earlier.find(isPinned) ?? null;
}

function reaches(items: readonly HistoryItem[], end: ChainEnd, hash: Hash): boolean {
  const digests = items.map((item) => item.digest);
  return digests.length >= end.length && chain(digests, hash, end.length).digest === end.digest;
}

/** A pin from before contexts were compared has none; then any context passes. */
function keepsContext(
  { context }: History,
  { context: pinned }: Pick<Pin, "context">,
  hash: Hash,
): boolean {
  if (!pinned || !context) return true;
  return (
    context.length >= pinned.length && chain(context, hash, pinned.length).digest === pinned.digest
  );
}

/** The number of items that two histories share at the beginning. */
function sharedItems(one: readonly HistoryItem[], other: readonly HistoryItem[]): number {
  const differs = one.findIndex(({ digest }, index) => digest !== other[index]?.digest);
  return differs === -1 ? one.length : differs;
}

/** The chain end of a history's context, for a pin; absent if the provider reports none. */
export function contextOf(history: History | null, hash: Hash): { readonly context?: ChainEnd } {
  return history?.context ? { context: chain(history.context, hash) } : {};
}

/** The provider session whose history is compared with the pin; for a fork by command, its source. */
export function judgedHandle({ handle, fork }: Pin): Handle {
  return fork?.by === "command" && fork.source ? fork.source : handle;
}

function judgeFork(
  { fork: _, ...pin }: Pin,
  { by }: Fork,
  found: History | "missing" | "unreadable",
  checkpoint: CheckpointState,
  hash: Hash,
  earlier: readonly History[],
): HistoryState {
  if (by === "transcript") return { state: "unforkable", why: "unable" };
  if (by === "copy")
    return checkpoint === "whole" ? { state: "forkable" } : damaged("missing", checkpoint);
  const source = judgeHistory(pin, found, "none", hash, earlier);
  if (source.state === "same" || source.state === "unknown") return { state: "forkable" };
  return { state: "unforkable", why: source.state === "lost" ? source.found : "moved-on" };
}

/** The digest of the newest summary with which the provider replaced earlier items. */
export function lastSummary({ items }: History): string | null {
  return items.findLast((item) => item.role === "summary")?.digest ?? null;
}

/** What a history has beyond an earlier end of its chain. */
interface Growth {
  /** It still begins with the items that it had. */
  readonly kept: boolean;
  /** Those after them; all of its items if it does not begin with them. */
  readonly items: readonly HistoryItem[];
  readonly end: ChainEnd;
}

/** `before`: null if the session was new. */
export function growthSince({ items }: History, before: ChainEnd | null, hash: Hash): Growth {
  const digests = items.map((item) => item.digest);
  const start = chain(digests, hash, before?.length ?? 0);
  const kept = before === null || start.digest === before.digest;
  return {
    kept,
    items: kept ? items.slice(start.length) : items,
    end: chain(digests.slice(start.length), hash, Infinity, start),
  };
}

function damaged(found: Damage, checkpoint: CheckpointState): HistoryState {
  return checkpoint === "whole"
    ? { state: "restorable", found }
    : { state: "lost", found, checkpoint };
}

// What a person typed in the agent's own program while a turn of ours ran. Claude does not lock its sessions: a screen
// that is open beside the turn writes into the same history. If both write at the same time, they continue the same
// message, and claude keeps only one of the two.

/** Programs also write in the user's name: notes in tags, or that the user interrupted the turn. */
const ofTheProgram = /^(<[a-z][\w-]*>|\[Request interrupted)/;

interface TurnTexts {
  /** The turn's prompt, as it was given and as it was sent. */
  readonly prompts: readonly string[];
  readonly answer: string | null;
}

/** What the agent did not keep of what was sent while a turn ran. */
export interface NotKept {
  readonly typed: readonly string[];
  /** The turn itself: its prompt is only where the agent does not continue. */
  readonly turn: boolean;
}

/** `gained` is what the history has gained; `since` the size of the provider's file before the turn. */
export function notKept(
  abandoned: readonly AbandonedText[],
  gained: readonly HistoryItem[],
  { prompts }: TurnTexts,
  since: number,
): NotKept {
  const texts = abandoned.filter(({ end }) => end > since).map(({ text }) => text);
  const isKept = gained.some((item) => item.role === "user" && isOwn(item.text, prompts));
  return {
    typed: texts.filter((text) => !isOwn(text, prompts) && !ofTheProgram.test(text)),
    turn: !isKept && texts.some((text) => isOwn(text, prompts)),
  };
}

/**
 * The messages among `items`, which the history has gained, that are not of the turn. Empty if the turn's own prompt is
 * neither among them nor known to be abandoned, because then nothing tells the two apart.
 */
export function typedMeanwhile(
  items: readonly HistoryItem[],
  turn: TurnTexts,
  isAbandoned = false,
): HistoryItem[] {
  const isOf = ({ role, text }: HistoryItem) => role === "user" && isOwn(text, turn.prompts);
  if (!isAbandoned && !items.some(isOf)) return [];
  const typed: HistoryItem[] = [];
  let beside = false;
  for (const item of items) {
    if (item.role === "user") beside = !isOf(item) && !ofTheProgram.test(item.text);
    const answers = item.role === "assistant" && item.text.trim() !== turn.answer?.trim();
    if (beside && (item.role === "user" || answers)) typed.push(item);
  }
  return typed;
}

function isOwn(text: string, prompts: readonly string[]): boolean {
  return prompts.some((prompt) => text.includes(prompt));
}
