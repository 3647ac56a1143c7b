/** A provider's prompt cache, simulated: what a request shares with those before it under its key. */

import { createHash } from "node:crypto";
import { type InputUsage, tokens } from "./model.ts";

export class PromptCache {
  readonly #beginnings = new Map<string, Set<string>>();

  /** Counts `parts`, the request in order; those that an earlier request began with are cached. */
  count(key: string, parts: readonly string[]): InputUsage {
    const known = this.#beginnings.get(key) ?? new Set<string>();
    const beginnings = chained(parts);
    const differs = beginnings.findIndex((beginning) => !known.has(beginning));
    const shared = differs === -1 ? parts : parts.slice(0, differs);
    for (const beginning of beginnings) known.add(beginning);
    this.#beginnings.set(key, known);
    return { input: tokens(parts.join("")), cached: Math.floor(shared.join("").length / 4) };
  }
}

/** For each part, a digest of everything up to it. */
function chained(parts: readonly string[]): string[] {
  let digest = "";
  return parts.map((part) => {
    digest = createHash("sha256").update(`${digest}\n${part}`).digest("base64");
    return digest;
  });
}
