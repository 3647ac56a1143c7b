/** The tokens of a turn, as agents report them with the answer. */

import type { Usage } from "@reprise/core/usage/usage";
import type { PromptResult } from "./protocol.ts";

/** Null if the agent reports none. */
export function usageIn({ usage, _meta }: PromptResult): Usage | null {
  if (usage) {
    const output = tokens(usage.outputTokens);
    const thought = tokens(usage.thoughtTokens);
    return {
      cachedRead: tokens(usage.cachedReadTokens),
      cachedWrite: tokens(usage.cachedWriteTokens),
      uncached: tokens(usage.inputTokens),
      output: output === null ? null : output + (thought ?? 0),
    };
  }
  // Gemini (0.61) reports its own way; its input includes what was cached, of which it does not say how much.
  const { quota } = (_meta ?? {}) as { quota?: { token_count?: Record<string, unknown> } };
  const counted = quota?.token_count;
  if (!counted) return null;
  return {
    cachedRead: null,
    cachedWrite: null,
    uncached: tokens(counted.input_tokens),
    output: tokens(counted.output_tokens),
  };
}

function tokens(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
