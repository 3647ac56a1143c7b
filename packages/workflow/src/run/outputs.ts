/** Checks the outputs of a node's work against those that the node declares. */

import type { GraphNode, Port } from "../graph.ts";
import type { NamedValues } from "./event.ts";
import { fit, typeName } from "./port-value.ts";
import { problem, type RunProblem } from "./problem.ts";

export interface Given {
  readonly outputs: NamedValues;
  readonly warnings: readonly string[];
}

/** The first output that is missing or of the wrong type fails this node, not the one that reads it. */
export function fitOutputs(node: GraphNode, given: NamedValues): Given | RunProblem {
  const read: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const port of node.outputs) {
    const { name, type, required } = port;
    const value = given[name] ?? null;
    if (required && !Object.hasOwn(given, name)) return missing(node, port);
    const fitted = fit(type, value);
    if (!fitted.fits) return wrongType(node, port, value);
    if (!fitted.warning) continue;
    read[name] = fitted.value;
    warnings.push(`${node.id}.${name}: ${fitted.warning}`);
  }
  return { outputs: warnings.length > 0 ? { ...given, ...read } : given, warnings };
}

function missing({ id }: GraphNode, { name }: Port): RunProblem {
  return problem(
    "missing-output",
    `Node "${id}" returned no value for its output "${name}".`,
    "Return an object with every output that the node declares; null is a value.",
  );
}

function wrongType({ id }: GraphNode, { name, type }: Port, value: unknown): RunProblem {
  return problem(
    "wrong-type",
    `Node "${id}" returned ${typeName(value)} for its output "${name}", which must be ${type}.`,
    "Change the type of the output, or what the node returns.",
  );
}
