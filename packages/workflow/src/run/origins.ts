/** Which inputs of the run reach an input of a node, through any loops and edges. */

import type { Edge, Graph } from "../graph.ts";
import { nodeIndex } from "./graph-index.ts";

/** Their names, each once. A value that another node computes from them is not included. */
export function originNodes(graph: Graph, node: string, ports: readonly string[]): string[] {
  const origins = new Set<string>();
  const seen = new Set<string>();
  const follow = (id: string, port: string) => {
    const place = `${id} ${port}`;
    if (seen.has(place)) return;
    seen.add(place);
    for (const edge of nodeIndex(graph, id).inputs.get(port) ?? []) trace(edge);
  };
  const trace = ({ source, back }: Edge) => {
    if (source.from === "loop-input") return follow(source.node, source.port);
    if (source.from !== "output" || back) return;
    const { node: from, inputs } = nodeIndex(graph, source.node);
    if (from.type === "trigger")
      for (const name of handedOut(graph, source.port)) origins.add(name);
    else if (from.type === "wire" || from.type === "join")
      for (const port of inputs.keys()) follow(from.id, port);
  };
  for (const port of ports) follow(node, port);
  return [...origins];
}

/** `text` may be any input that is given as text. */
function handedOut({ inputs }: Graph, port: string): string[] {
  const texts = inputs.filter(({ type }) => type === "string" || type === "any");
  const named = inputs.filter(({ name }) => name === port);
  return (named.length === 0 && port === "text" ? texts : named).map(({ name }) => name);
}
