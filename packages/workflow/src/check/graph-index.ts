/** A graph indexed by names, for the validator's checks. */

import type { Edge, Graph, GraphNode } from "../graph.ts";

export interface ValidationIndex {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** The edges by their target and by their source. */
  readonly into: ReadonlyMap<string, readonly Edge[]>;
  readonly outOf: ReadonlyMap<string, readonly Edge[]>;
}

export function indexGraph({ nodes, edges }: Graph): ValidationIndex {
  return {
    nodes: new Map(nodes.map((node) => [node.id, node])),
    into: grouped(edges, ({ target }) => target.node),
    outOf: grouped(edges, ({ source }) => source.node),
  };
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
