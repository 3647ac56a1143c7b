/** Why a text is not a workflow in either form. */

import type { Finding } from "../finding.ts";
import type { YamlSource } from "./source.ts";

/** Null if the text is a mapping. */
export function fileProblem(source: YamlSource): Finding | null {
  const problem = problemOf(source);
  return problem && { severity: "error", ...problem, node: null, port: null };
}

function problemOf(
  source: YamlSource,
): Pick<Finding, "code" | "message" | "hint" | "position"> | null {
  const { problem, value } = source;
  if (problem) return { code: "bad-yaml", ...problem };
  if (value === null || value === undefined)
    return {
      code: "empty-file",
      message: "The file is empty.",
      hint: "Write a workflow with name: and steps:.",
      position: { line: 1, column: 1 },
    };
  if (typeof value === "object" && !Array.isArray(value)) return null;
  return {
    code: "not-a-mapping",
    message: `The file contains ${Array.isArray(value) ? "a list" : "a single value"}, not a workflow.`,
    hint: "Write a mapping with name: and steps:, or with version:, metadata:, nodes: and edges:.",
    position: source.at([]),
  };
}
