/** The scripted agent's simulated tokens: four characters each. */

import type { Usage } from "@reprise/core/usage/usage";
import type { Item } from "./session-file.ts";

/**
 * The running total over a session: every prompt is uncached once, and everything before it is read
 * from the cache. It follows from the items alone, so a session that was put back counts the same.
 */
export function totalUsage(items: readonly Item[]): Usage {
  let seen = 0;
  let cachedRead = 0;
  let uncached = 0;
  let output = 0;
  for (const { role, text } of items) {
    const tokens = tokensOf(text);
    if (role === "user") {
      cachedRead += seen;
      uncached += tokens;
    } else if (role !== "summary") output += tokens;
    seen += tokens;
  }
  return { cachedRead, cachedWrite: 0, uncached, output };
}

/** The same for a compaction: the whole history is input again, and the summary is output. */
export function compactionUsage(history: readonly Item[], summary: Item): Usage {
  const total = totalUsage(history);
  const read = history.reduce((sum, { text }) => sum + tokensOf(text), 0);
  return {
    ...total,
    cachedRead: (total.cachedRead ?? 0) + read,
    output: (total.output ?? 0) + tokensOf(summary.text),
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
