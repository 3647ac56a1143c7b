/**
 * What sessions used, and what resuming saved. Every number says how it is known: `measured` (reported by the
 * agent's program), `estimated` (from our transcript) or `unreported`, which is not zero.
 */

import type { Usage } from "./usage.ts";

export type Known = "measured" | "estimated" | "unreported";

export interface Amount {
  /** Null if unknown. */
  readonly tokens: number | null;
  readonly known: Known;
}

/** The store's sums over turns. */
export interface UsageSum {
  readonly turns: number;
  readonly resume: number;
  readonly reseed: number;
  readonly blank: number;
  readonly refuse: number;
  /** Turns that ran without reporting usage. */
  readonly unreported: number;
  /** The sum over the other turns; a kind is null if none of them reported it. */
  readonly usage: Usage;
  /** Resumed turns whose input was reported and whose transcript is known. */
  readonly compared: {
    readonly turns: number;
    /** What a reseed would have sent: the transcript before each of these turns, and its prompt. */
    readonly bytes: number;
    /** Their input that was not read from the provider's cache. */
    readonly uncached: number;
  };
}

export interface UsageFigures {
  readonly turns: number;
  readonly outcomes: Readonly<Record<"resume" | "reseed" | "blank" | "refuse", number>>;
  readonly unreportedTurns: number;
  readonly cachedRead: Amount;
  readonly cachedWrite: Amount;
  readonly uncached: Amount;
  readonly output: Amount;
  /** What reseeds would have sent instead of the resumed turns. */
  readonly reseed: Amount;
  /** `reseed` minus what these turns sent uncached; 0 if the cache had expired. */
  readonly saved: Amount;
}

/** The estimate where only the text is known. */
const bytesPerToken = 4;

const unreported: Amount = { tokens: null, known: "unreported" };

export function usageFigures(sum: UsageSum): UsageFigures {
  const { turns, resume, reseed, blank, refuse, usage, compared } = sum;
  const would = Math.ceil(compared.bytes / bytesPerToken);
  return {
    turns,
    outcomes: { resume, reseed, blank, refuse },
    unreportedTurns: sum.unreported,
    cachedRead: measured(usage.cachedRead),
    cachedWrite: measured(usage.cachedWrite),
    uncached: measured(usage.uncached),
    output: measured(usage.output),
    reseed: compared.turns > 0 ? estimated(would) : unreported,
    saved: compared.turns > 0 ? estimated(Math.max(0, would - compared.uncached)) : unreported,
  };
}

export const emptySum: UsageSum = {
  turns: 0,
  resume: 0,
  reseed: 0,
  blank: 0,
  refuse: 0,
  unreported: 0,
  usage: { cachedRead: null, cachedWrite: null, uncached: null, output: null },
  compared: { turns: 0, bytes: 0, uncached: 0 },
};

function measured(tokens: number | null): Amount {
  return tokens === null ? unreported : { tokens, known: "measured" };
}

function estimated(tokens: number): Amount {
  return { tokens, known: "estimated" };
}
