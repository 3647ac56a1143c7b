/** Finds functions of a workflow whose code cannot be compiled. Nothing of it is run. */

import { shortLine } from "@reprise/core/text/short-line";
import { error, type Finding } from "@reprise/workflow/finding";
import type { Graph } from "@reprise/workflow/graph";
import type { Functions } from "../../engine.ts";

/** A message about types quotes the code. */
const maxMessage = 300;

const checked = new WeakMap<Graph, Promise<Finding[]>>();

/** Cached, so that a thousand runs of one file check it once. */
export function checkFunctions(
  sandbox: Pick<Functions, "compile">,
  graph: Graph,
): Promise<Finding[]> {
  const known = checked.get(graph);
  if (known) return known;
  const findings = compileFunctions(sandbox, graph);
  checked.set(graph, findings);
  return findings;
}

async function compileFunctions(
  sandbox: Pick<Functions, "compile">,
  { nodes }: Graph,
): Promise<Finding[]> {
  const functions = nodes.filter((node) => node.type === "function");
  if (functions.length === 0) return [];
  const problems = await sandbox.compile(functions.map(({ code }) => code));
  return functions.flatMap((node, index) => {
    const problem = problems[index];
    if (problem == null) return [];
    const message = `The code of "${node.id}" cannot be compiled: ${shortLine(problem, maxMessage)}.`;
    return [error(node, "bad-function", message, "Fix the function's code.")];
  });
}
