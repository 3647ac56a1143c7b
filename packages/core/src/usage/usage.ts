/** Tokens of a turn, as the provider reports them; a kind that it does not report is null, never zero. */

export interface Usage {
  /** Input served from the provider's cache. */
  readonly cachedRead: number | null;
  /** Input written to the provider's cache. */
  readonly cachedWrite: number | null;
  /** Input that was neither. */
  readonly uncached: number | null;
  readonly output: number | null;
}

export const noUsage: Usage = { cachedRead: 0, cachedWrite: 0, uncached: 0, output: 0 };

export function addUsage(left: Usage, right: Usage): Usage {
  return combine(left, right, (a, b) => (a === null || b === null ? (a ?? b) : a + b));
}

/**
 * The share of one turn in a running total. A total below the previous one means that the provider
 * restarted its count (a new or compacted provider session), so the total is this turn's own.
 */
export function subtractUsage(total: Usage, before: Usage | null): Usage {
  if (before === null) return total;
  const shrank = (Object.keys(total) as (keyof Usage)[]).some(
    (kind) => (total[kind] ?? Infinity) < (before[kind] ?? 0),
  );
  return shrank ? total : combine(total, before, (a, b) => (a === null ? null : a - (b ?? 0)));
}

export function inputTokens({ cachedRead, cachedWrite, uncached }: Usage): number {
  return (cachedRead ?? 0) + (cachedWrite ?? 0) + (uncached ?? 0);
}

function combine(
  left: Usage,
  right: Usage,
  join: (a: number | null, b: number | null) => number | null,
): Usage {
  return {
    cachedRead: join(left.cachedRead, right.cachedRead),
    cachedWrite: join(left.cachedWrite, right.cachedWrite),
    uncached: join(left.uncached, right.uncached),
    output: join(left.output, right.output),
  };
}
