/** What a check of a workflow's text found, as `workflow validate` shows it. */

import type { Finding } from "./finding.ts";
import type { Graph } from "./graph.ts";

export interface CheckReport {
  /** True without an error. */
  readonly ok: boolean;
  readonly nodes: number;
  readonly edges: number;
  /** In the order of the file. */
  readonly findings: Finding[];
}

/** With `strict`, warnings count as errors. */
export function reportOf(
  graph: Graph | null,
  found: readonly Finding[],
  strict: boolean,
): CheckReport {
  const findings = found
    .map((finding) => (strict ? { ...finding, severity: "error" as const } : { ...finding }))
    .toSorted((one, other) => (one.position?.line ?? 0) - (other.position?.line ?? 0));
  return {
    ok: findings.every(({ severity }) => severity !== "error"),
    nodes: graph?.nodes.length ?? 0,
    edges: graph?.edges.length ?? 0,
    findings,
  };
}
