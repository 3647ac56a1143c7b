/** Loads small workflows for tests, and shows the resulting nodes and edges in one line each. */

import type { Edge, EdgeSource, EdgeTarget, Graph, GraphNode, NodeType } from "../graph.ts";
import { type LoadOptions, load } from "../load.ts";
import { exampleRunners } from "../runners-example.ts";

/** The graph of a valid file, and its findings as `line code`. */
export function loaded(
  text: string,
  options?: LoadOptions,
): { graph: Graph; reported: string[]; edges: string[] } {
  const { graph, findings } = load(text, { runners: exampleRunners, ...options });
  if (!graph) throw new Error(JSON.stringify(findings, null, 2));
  return {
    graph,
    reported: findings.map(({ code, position }) => `${position?.line} ${code}`),
    edges: graph.edges.map(edgeLine),
  };
}

export function nodeIn<Type extends NodeType>(
  { nodes }: Graph,
  type: Type,
  id: string,
): Extract<GraphNode, { type: Type }> {
  const node = nodes.find((one) => one.id === id && one.type === type);
  if (!node) throw new Error(`There is no ${type} ${id}.`);
  return node as Extract<GraphNode, { type: Type }>;
}

/** `coder.output > loop[session]`: docks in brackets, a loop's own ports seen from inside with a colon. */
function edgeLine({ source, target, select, back }: Edge): string {
  const marks = [...(select ? [`select ${select}`] : []), ...(back ? ["back"] : [])];
  return [`${sourceLine(source)} > ${targetLine(target)}`, ...marks].join(" ");
}

function sourceLine(source: EdgeSource): string {
  switch (source.from) {
    case "output":
      return `${source.node}.${source.port}`;
    case "loop-input":
      return `${source.node}:${source.port}`;
    case "iteration":
      return `${source.node}[iteration]`;
    case "previous":
      return `${source.node}[${source.dock}]`;
  }
}

function targetLine(target: EdgeTarget): string {
  switch (target.to) {
    case "input":
      return `${target.node}.${target.port}`;
    case "wait":
      return target.node;
    case "loop-output":
      return `${target.node}:${target.port}`;
    case "dock":
      return `${target.node}[${target.dock}]`;
  }
}
