/** Collects the findings about a workflow file. */

import { nearMiss, suggestion } from "@reprise/core/errors/suggestion";
import type { Finding, FindingSubject } from "./finding.ts";
import type { Position } from "./graph.ts";

/** The maximum number of words compared for "Did you mean" in one file, so that a large bad file is reported soon. */
const maxComparisons = 20_000;

/** The maximum number of findings that are listed; the rest are counted. */
const maxFindings = 500;

/** The maximum number of names in a hint. */
const maxNames = 20;

/** Gives the hint for a wrong name. */
export type Near = FindingReport["near"];

export class FindingReport {
  readonly #findings: Finding[] = [];
  readonly #strict: boolean;
  #comparisons = 0;
  #errors = 0;
  #unlisted = 0;

  constructor({ strict = false }: { readonly strict?: boolean } = {}) {
    this.#strict = strict;
  }

  /** Whether there is an error, which prevents a graph. Warnings do not, even under `strict`. */
  get errors(): number {
    return this.#errors;
  }

  get isRefused(): boolean {
    return this.#errors > 0 || (this.#strict && this.#findings.length > 0);
  }

  error(
    code: string,
    position: Position | null,
    message: string,
    hint: string,
    { node = null, port = null }: FindingSubject = {},
  ): void {
    this.add({ severity: "error", code, message, hint, position, node, port });
  }

  warn(
    code: string,
    position: Position | null,
    message: string,
    hint: string,
    { node = null, port = null }: FindingSubject = {},
  ): void {
    this.add({ severity: "warning", code, message, hint, position, node, port });
  }

  add(finding: Finding): void {
    if (finding.severity === "error") this.#errors += 1;
    if (this.#findings.length === maxFindings) this.#unlisted += 1;
    else this.#findings.push(this.#strict ? { ...finding, severity: "error" } : finding);
  }

  /** A hint with the nearest known word, or else `otherwise`: by default all known words. */
  near(word: string, known: Iterable<string>, otherwise?: string): string {
    if (this.#comparisons > maxComparisons && otherwise !== undefined) return otherwise;
    const words = [...known];
    const hint = otherwise ?? listed(words);
    if (this.#comparisons > maxComparisons) return hint;
    this.#comparisons += words.length;
    const nearest = suggestion(word, words);
    return nearest === null ? hint : `Did you mean "${nearest}"?`;
  }

  /** The known word that this one probably misspells; null if there is none. */
  nearMiss(word: string, known: readonly string[]): string | null {
    if (this.#comparisons > maxComparisons) return null;
    this.#comparisons += known.length;
    return nearMiss(word, known);
  }

  /** In the order of the file. */
  findings(): Finding[] {
    const line = ({ position }: Finding) => position?.line ?? 0;
    const column = ({ position }: Finding) => position?.column ?? 0;
    const sorted = this.#findings.toSorted(
      (left, right) => line(left) - line(right) || column(left) - column(right),
    );
    return this.#unlisted === 0 ? sorted : [...sorted, this.#more()];
  }

  #more(): Finding {
    return {
      severity: this.#errors > 0 || this.#strict ? "error" : "warning",
      code: "more-findings",
      message: `${this.#unlisted} more findings are not listed.`,
      hint: "Fix these first.",
      position: null,
      node: null,
      port: null,
    };
  }
}

function listed(words: readonly string[]): string {
  if (words.length === 0) return "It has none.";
  return `Use one of: ${words.slice(0, maxNames).join(", ")}${words.length > maxNames ? ", …" : ""}.`;
}
