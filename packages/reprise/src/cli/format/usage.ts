/** What a turn used: tokens by kind, and its time. */

import type { TurnResult } from "@reprise/core/api/reprise";
import { inputTokens } from "@reprise/core/usage/usage";
import { grouped } from "./amount.ts";
import { elapsed } from "./time.ts";

/** `1,204 tokens in (1,100 cached, 80 written) · 56 out · 2.1 s`; null when there is nothing to say. */
export function usageText({ usage, attempts }: TurnResult): string | null {
  const parts: string[] = [];
  if (usage !== null) {
    const { cachedRead, cachedWrite, output } = usage;
    const kinds = [
      ...(cachedRead ? [`${grouped(cachedRead)} cached`] : []),
      ...(cachedWrite ? [`${grouped(cachedWrite)} written`] : []),
    ];
    const total = inputTokens(usage);
    const input = `${grouped(total)} ${total === 1 ? "token" : "tokens"} in`;
    parts.push(kinds.length > 0 ? `${input} (${kinds.join(", ")})` : input);
    if (output !== null) parts.push(`${grouped(output)} out`);
  }
  // Without a started agent there is no time to show.
  const times = attempts
    .filter(({ argv }) => argv !== null)
    .map(({ startedAt, endedAt }) => (endedAt === null ? 0 : endedAt - startedAt));
  if (times.length > 0) parts.push(elapsed(times.reduce((sum, time) => sum + time, 0)));
  return parts.length > 0 ? parts.join(" · ") : null;
}
