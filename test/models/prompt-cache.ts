/** A provider's prompt cache, simulated: what a request shares with the one before it under its key. */

import { type InputUsage, tokens } from "./model.ts";

export class PromptCache {
  readonly #last = new Map<string, readonly string[]>();

  /** Counts `parts`, the request in order; equal parts from the beginning on are cached. */
  count(key: string, parts: readonly string[]): InputUsage {
    const before = this.#last.get(key) ?? [];
    this.#last.set(key, parts);
    const differs = parts.findIndex((part, index) => part !== before[index]);
    const shared = differs === -1 ? parts : parts.slice(0, differs);
    return { input: tokens(parts.join("")), cached: Math.floor(shared.join("").length / 4) };
  }
}
