/** Whether a node can be carried out now, is to be skipped, or must wait for others. */

import type { Edge, Graph, GraphNode } from "../graph.ts";
import { type NodeIndex, nodeIndex } from "./graph-index.ts";
import { isLive } from "./liveness.ts";
import type { Frame, RunState } from "./state.ts";

export type Readiness =
  | { readonly is: "not-yet" }
  | { readonly is: "ready" }
  | { readonly is: "skipped"; readonly because: string };

const ready: Readiness = { is: "ready" };

export function readiness(graph: Graph, state: RunState, frame: Frame, node: GraphNode): Readiness {
  const index = nodeIndex(graph, node.id);
  const live = (edge: Edge) => isLive(graph, state, frame, edge);
  const isWaiting = (frame.pending.get(node.id) ?? 0) > 0;
  if (node.type === "join") return ofJoin(index, live, { isWaiting, any: node.wait === "any" });
  if (isWaiting) return { is: "not-yet" };
  const dead =
    index.waits.find((edge) => !live(edge)) ??
    index.ports
      .filter(({ required }) => required)
      .map(({ name }) => (index.inputs.get(name) ?? []).filter(isForward))
      .find((edges) => edges.length > 0 && !edges.some(live))?.[0];
  return dead ? skipped(dead) : ready;
}

function isForward({ back }: Edge): boolean {
  return !back;
}

function ofJoin(
  { inputs, waits }: NodeIndex,
  live: (edge: Edge) => boolean,
  { isWaiting, any }: { isWaiting: boolean; any: boolean },
): Readiness {
  if (isWaiting && !any) return { is: "not-yet" };
  const edges = [...waits, ...[...inputs.values()].flat()].filter(isForward);
  if (edges.some(live)) return ready;
  if (isWaiting) return { is: "not-yet" };
  const [dead] = edges;
  return dead ? skipped(dead) : ready;
}

function skipped({ source }: Edge): Readiness {
  const name = source.from === "output" ? `${source.node}.${source.port}` : source.node;
  return { is: "skipped", because: `Nothing came from ${name}.` };
}
