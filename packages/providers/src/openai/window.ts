/** Which turns of a conversation are sent: above a limit the oldest are left out, whole turns at a time. */

import type { StoredMessage } from "./message.ts";

export interface Window {
  readonly sent: readonly StoredMessage[];
  /** The messages of the oldest turns. */
  readonly leftOut: readonly StoredMessage[];
  /** How many turns that is. */
  readonly turns: number;
}

/** What a message costs beside its text. */
const perMessage = 4;
const bytesPerToken = 4;

/** No service says how it counts before it is asked; four bytes a token is above the usual for English and code. */
export function estimatedTokens(messages: readonly StoredMessage[]): number {
  return messages.reduce((sum, { content, calls = [] }) => {
    const words = content + calls.map(({ name, arguments: given }) => name + given).join("");
    return sum + perMessage + Math.ceil(Buffer.byteLength(words) / bytesPerToken);
  }, 0);
}

/**
 * A turn is a message of the user with all that follows it, so tool pairs stay together. The last turn and a summary
 * are always sent. More is left out than necessary, a quarter of the limit at a time: if every turn began
 * one turn later than the one before, the service's prompt cache would never find the beginning again.
 */
export function windowOf(messages: readonly StoredMessage[], limit: number | null): Window {
  const kept = messages.filter(({ role }) => role === "summary");
  const turns = turnsOf(messages.filter(({ role }) => role !== "summary"));
  const sizes = turns.map(estimatedTokens);
  const total = sizes.reduce((sum, size) => sum + size, estimatedTokens(kept));
  if (limit === null || total <= limit) return { sent: messages, leftOut: [], turns: 0 };
  const step = Math.max(1, Math.floor(limit / 4));
  const excess = Math.ceil((total - limit) / step) * step;
  let out = 0;
  for (let freed = 0; freed < excess && out < turns.length - 1; out += 1) freed += sizes[out]!;
  return {
    sent: [...kept, ...turns.slice(out).flat()],
    leftOut: turns.slice(0, out).flat(),
    turns: out,
  };
}

/** Without the older half of its turns; null if only one is left. */
export function halved(messages: readonly StoredMessage[]): readonly StoredMessage[] | null {
  const kept = messages.filter(({ role }) => role === "summary");
  const turns = turnsOf(messages.filter(({ role }) => role !== "summary"));
  if (turns.length < 2) return null;
  return [...kept, ...turns.slice(Math.ceil(turns.length / 2)).flat()];
}

function turnsOf(messages: readonly StoredMessage[]): StoredMessage[][] {
  const turns: StoredMessage[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn === undefined || message.role === "user") turns.push([message]);
    else turn.push(message);
  }
  return turns;
}
