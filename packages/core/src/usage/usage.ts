/** Tokens of a turn, as the provider reports them; what it does not report is zero. */

export interface Usage {
  /** Input served from the provider's cache. */
  readonly cachedRead: number;
  /** Input written to the provider's cache. */
  readonly cachedWrite: number;
  /** Input that was neither. */
  readonly uncached: number;
  readonly output: number;
}

export const noUsage: Usage = { cachedRead: 0, cachedWrite: 0, uncached: 0, output: 0 };

export function addUsage(left: Usage, right: Usage): Usage {
  return combine(left, right, (a, b) => a + b);
}

/**
 * The share of one turn in a running total. A total below the previous one means that the provider
 * counts anew (a new provider session, a compacted one), so it stands for itself.
 */
export function subtractUsage(total: Usage, before: Usage | null): Usage {
  if (before === null) return total;
  const shrank = (Object.keys(total) as (keyof Usage)[]).some((name) => total[name] < before[name]);
  return shrank ? total : combine(total, before, (a, b) => a - b);
}

export function inputTokens(usage: Usage): number {
  return usage.cachedRead + usage.cachedWrite + usage.uncached;
}

function combine(left: Usage, right: Usage, join: (a: number, b: number) => number): Usage {
  return {
    cachedRead: join(left.cachedRead, right.cachedRead),
    cachedWrite: join(left.cachedWrite, right.cachedWrite),
    uncached: join(left.uncached, right.uncached),
    output: join(left.output, right.output),
  };
}
