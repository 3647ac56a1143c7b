/** A graph indexed by names, for the validator's checks. */

import type { Edge, EdgeSource, EdgeTarget, Graph, GraphNode } from "../graph.ts";

export interface ValidationIndex {
  /** By id; the first node wins. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** The edges whose ends exist and are in one frame, by target or source node. */
  readonly into: ReadonlyMap<string, readonly Edge[]>;
  readonly outOf: ReadonlyMap<string, readonly Edge[]>;
}

export function nodesById(graph: Graph): Map<string, GraphNode> {
  const nodes = new Map<string, GraphNode>();
  for (const node of graph.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
  return nodes;
}

export function indexGraph(
  nodes: ReadonlyMap<string, GraphNode>,
  edges: readonly Edge[],
): ValidationIndex {
  return {
    nodes,
    into: grouped(edges, ({ target }) => target.node),
    outOf: grouped(edges, ({ source }) => source.node),
  };
}

/** The loop that contains an end of an edge; null at the top level. A loop's docks are inside it. */
export function enclosingLoop(end: EdgeSource | EdgeTarget, node: GraphNode): string | null {
  const outside = "from" in end ? end.from === "output" : end.to === "input" || end.to === "wait";
  return outside ? node.parent : node.id;
}

/** Whether the target waits for the source within their frame. Docks are available at once. */
export function isDependency({ source, target, back }: Edge): boolean {
  return !back && source.from === "output" && (target.to === "input" || target.to === "wait");
}

export function wiredInputs({ id }: GraphNode, { into }: ValidationIndex): Set<string> {
  return new Set(
    (into.get(id) ?? []).flatMap(({ target }) => (target.to === "input" ? [target.port] : [])),
  );
}

/** The loops around a node, innermost first. No loop may contain itself. */
export function loopsAround(node: GraphNode, nodes: ReadonlyMap<string, GraphNode>): GraphNode[] {
  const loops: GraphNode[] = [];
  for (let { parent } = node; parent !== null; ) {
    const loop = nodes.get(parent);
    if (!loop) break;
    loops.push(loop);
    parent = loop.parent;
  }
  return loops;
}

export function grouped<Item>(
  items: Iterable<Item>,
  by: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = by(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
