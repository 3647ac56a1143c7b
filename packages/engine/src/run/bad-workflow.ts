/** The error of a workflow that can not be started: the first finding in its sentence, all of them with it. */

import { UsageError } from "@reprise/core/errors/errors";
import type { Finding } from "@reprise/core/workflow/finding";
import type { Position } from "@reprise/core/workflow/graph";

export class BadWorkflowError extends UsageError {
  readonly findings: readonly Finding[];

  constructor(path: string | null, findings: readonly Finding[]) {
    const errors = findings.filter(({ severity }) => severity === "error");
    const [first] = errors;
    const more = errors.length - 1;
    super(
      "bad-workflow",
      `${placeIn(path, first?.position ?? null)}${first?.message ?? "This is no workflow."}`,
      more > 0
        ? `${first?.hint} There ${more === 1 ? "is 1 more finding" : `are ${more} more findings`}: reprise workflow validate lists all.`
        : (first?.hint ?? "Look at it with reprise workflow validate."),
    );
    this.findings = findings;
  }
}

/** As compilers write it, to stand before a sentence. */
export function placeIn(path: string | null, at: Position | null): string {
  if (!at) return path === null ? "" : `${path}: `;
  return `${path ?? "line"}${path === null ? " " : ":"}${at.line}:${at.column}: `;
}
