/** The error for an invalid workflow: its message is the first finding, and `findings` has all of them. */

import { UsageError } from "@reprise/core/errors/errors";
import { command, slot } from "@reprise/core/errors/hint";
import type { Finding } from "@reprise/workflow/finding";
import type { Position } from "@reprise/workflow/graph";

export class BadWorkflowError extends UsageError {
  readonly findings: readonly Finding[];

  constructor(path: string | null, findings: readonly Finding[]) {
    const errors = findings.filter(({ severity }) => severity === "error");
    const [first] = errors;
    super(
      "bad-workflow",
      `${placeIn(path, first?.position ?? null)}${first?.message ?? "This is not a workflow."}`,
      [first?.hint ?? `Check it with ${validate(path)}.`, ...others(path, errors)].join(" "),
    );
    this.findings = findings;
  }
}

/** How many more errors there are, and how to see them. */
function others(path: string | null, errors: readonly Finding[]): string[] {
  const more = errors.length - 1;
  if (more < 1) return [];
  const truncated = errors.some(({ code }) => code === "more-findings");
  if (truncated)
    return [`There are more than ${more} findings: ${validate(path)} lists the first.`];
  const count = more === 1 ? "is 1 more finding" : `are ${more} more findings`;
  return [`There ${count}: ${validate(path)} lists all.`];
}

function validate(path: string | null): string {
  return command("workflow validate", path ?? slot("FILE"));
}

/** The position as compilers write it, to put before a sentence. */
export function placeIn(path: string | null, at: Position | null): string {
  if (!at) return path === null ? "" : `${path}: `;
  return `${path ?? "line"}${path === null ? " " : ":"}${at.line}:${at.column}: `;
}
