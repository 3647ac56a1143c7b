/** What depends on a node in its frame, directly or not, and the node itself. */

import type { Graph } from "../graph.ts";
import { graphIndex } from "./graph-index.ts";

export function downstream(graph: Graph, node: string): ReadonlySet<string> {
  const { nodes, downstream: known } = graphIndex(graph);
  const before = known.get(node);
  if (before) return before;
  const found = new Set([node]);
  // The set grows while we iterate over it.
  for (const id of found) for (const next of nodes.get(id)?.successors ?? []) found.add(next);
  known.set(node, found);
  return found;
}
