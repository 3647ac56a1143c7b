/** Builds the validator's findings. */

import { suggestion } from "@reprise/core/errors/suggestion";
import type { Finding } from "../finding.ts";
import type { Position } from "../graph.ts";

/** What a finding is about: a node or an edge. */
interface Placed {
  readonly position: Position | null;
}

export function error(at: Placed | null, code: string, message: string, hint: string): Finding {
  return { severity: "error", code, message, hint, position: at?.position ?? null };
}

export function warning(at: Placed | null, code: string, message: string, hint: string): Finding {
  return { severity: "warning", code, message, hint, position: at?.position ?? null };
}

/** Names for a message: `"a", "b" and "c"`. */
export function quoted(names: readonly string[]): string {
  const all = names.map((name) => `"${name}"`);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** The maximum number of comparisons, because a file may have thousands of wrong names. */
const mostSuggestions = 20;

/** Returns a "Did you mean" hint for the first wrong names, and `otherwise` if no name is near. */
export function speller(): (word: string, known: readonly string[], otherwise?: string) => string {
  let left = mostSuggestions;
  return (word, known, otherwise = known.length === 0 ? "It has none." : listed(known)) => {
    left -= 1;
    const nearest = left < 0 ? null : suggestion(word, known);
    return nearest === null ? otherwise : `Did you mean "${nearest}"?`;
  };
}

function listed(known: readonly string[]): string {
  return `Use one of: ${known.slice(0, 20).join(", ")}${known.length > 20 ? ", …" : ""}.`;
}
