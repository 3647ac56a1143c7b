/** The error of a workflow that can not be started: the first finding in its sentence, all of them with it. */

import { UsageError } from "@reprise/core/errors/errors";
import type { Finding } from "@reprise/core/workflow/finding";

export class BadWorkflowError extends UsageError {
  readonly findings: readonly Finding[];

  constructor(path: string | null, findings: readonly Finding[]) {
    const errors = findings.filter(({ severity }) => severity === "error");
    const [first] = errors;
    const more = errors.length - 1;
    super(
      "bad-workflow",
      `${place(path, first)}${first?.message ?? "This is no workflow."}${more > 0 ? ` (And ${more} more.)` : ""}`,
      first?.hint ?? "Look at it with reprise workflow validate.",
    );
    this.findings = findings;
  }
}

function place(path: string | null, finding: Finding | undefined): string {
  const at = finding?.position;
  if (!at) return path === null ? "" : `${path}: `;
  return `${path ?? "line"}${path === null ? " " : ":"}${at.line}:${at.column}: `;
}
