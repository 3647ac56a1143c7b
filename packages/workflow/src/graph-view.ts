/** A graph as the page draws it: nodes, loops around nodes, and one line between two of them. Edges that only
 * pass a loop's border are left out, because the frame itself shows them.
 */

import type { Edge, Graph } from "./graph.ts";
import { impliedFor } from "./implied.ts";
import { describeNode } from "./node-description.ts";

export interface GraphView {
  readonly nodes: readonly NodeView[];
  readonly edges: readonly EdgeView[];
}

export interface NodeView {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  /** The loop that contains it. */
  readonly parent: string | null;
  readonly about: string;
  /** Implied behaviour: on a rejection, on an error, and whose feedback it gets. */
  readonly implied: readonly string[];
}

export interface EdgeView {
  readonly from: string;
  /** The loop itself, for an edge to its condition. */
  readonly to: string;
  /** The values that are passed; empty if the target only waits. */
  readonly label: string;
  /** Leads back, in the next iteration or on a retry. */
  readonly back: boolean;
}

export function graphView(graph: Graph): GraphView {
  const merged = new Map<string, EdgeView>();
  for (const edge of graph.edges.flatMap((each) => drawn(graph, each))) {
    const key = JSON.stringify([edge.from, edge.to, edge.back]);
    const known = merged.get(key);
    const labels = [known?.label, edge.label].filter((label) => label);
    merged.set(key, { ...edge, label: [...new Set(labels)].join(", ") });
  }
  return {
    nodes: graph.nodes.map((node) => ({
      id: node.id,
      label: node.label,
      type: node.type,
      parent: node.parent,
      about: describeNode(node),
      implied: impliedFor(graph, node),
    })),
    edges: [...merged.values()],
  };
}

function drawn(graph: Graph, { source, target, back }: Edge): EdgeView[] {
  if (target.to === "dock") {
    const decides = ["continue", "until"].includes(dockType(graph, target.node, target.dock));
    return decides && source.from === "output"
      ? [{ from: source.node, to: target.node, label: target.dock, back: false }]
      : [];
  }
  if (target.to === "loop-output") return [];
  if (source.from === "previous")
    return graph.edges.flatMap(({ source: giver, target: dock }) =>
      giver.from === "output" &&
      dock.to === "dock" &&
      dock.node === source.node &&
      dock.dock === source.dock
        ? [{ from: giver.node, to: target.node, label: source.dock, back: true }]
        : [],
    );
  if (source.from !== "output") return [];
  const label = target.to === "wait" && !/^(?:true|false)$/.test(source.port) ? "" : source.port;
  return [{ from: source.node, to: target.node, label, back }];
}

function dockType({ nodes }: Graph, loop: string, dock: string): string {
  const node = nodes.find(({ id }) => id === loop);
  const docks = node?.type === "loop" ? node.docks : [];
  return docks.find(({ name }) => name === dock)?.type ?? "";
}
