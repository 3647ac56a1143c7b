/** A graph by its names, as the checks of the validator need it. */

import type { Edge, EdgeSource, EdgeTarget, Graph, GraphNode } from "../graph.ts";

export interface ValidationIndex {
  /** The first of each id. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** The edges whose ends exist and stand in one frame, by the node that they lead to or come from. */
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

/** The loop in which an end of an edge stands; null at the top. A loop's docks are inside of it. */
export function enclosingLoop(end: EdgeSource | EdgeTarget, node: GraphNode): string | null {
  const outside = "from" in end ? end.from === "output" : end.to === "input" || end.to === "wait";
  return outside ? node.parent : node.id;
}

/** Whether the target waits for the source in their frame: data from docks is there at once. */
export function isDependency({ source, target, back }: Edge): boolean {
  return !back && source.from === "output" && (target.to === "input" || target.to === "wait");
}

export function wiredInputs({ id }: GraphNode, { into }: ValidationIndex): Set<string> {
  return new Set(
    (into.get(id) ?? []).flatMap(({ target }) => (target.to === "input" ? [target.port] : [])),
  );
}

/** The loops around a node, from the inside to the outside. No loop may stand in itself. */
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
