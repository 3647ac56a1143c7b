/** Whether a node can run now, is skipped, or must wait for others. */

import type { Edge, Graph, GraphNode } from "../graph.ts";
import { type NodeIndex, nodeIndex } from "./graph-index.ts";
import { type DeadOrigin, deadOrigin } from "./liveness.ts";
import { current, hasEnded } from "./place.ts";
import type { Frame, RunState } from "./state.ts";

export type NodeReadiness =
  | { readonly is: "not-yet" }
  | { readonly is: "ready" }
  | { readonly is: "skipped"; readonly because: string };

const ready: NodeReadiness = { is: "ready" };
const notYet: NodeReadiness = { is: "not-yet" };

export function readiness(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: GraphNode,
): NodeReadiness {
  const index = nodeIndex(graph, node.id);
  const isWaiting = (frame.pending.get(node.id) ?? 0) > 0;
  if (node.type === "join") return ofJoin({ graph, state, frame }, index, isWaiting);
  if (isWaiting) return notYet;
  for (const edges of [index.waits, ...index.inputs.values()])
    for (const edge of edges) {
      const dead = deadOrigin(graph, state, frame, edge);
      if (dead) return skipped(graph, dead);
    }
  return ready;
}

interface Place {
  readonly graph: Graph;
  readonly state: RunState;
  readonly frame: Frame;
}

/** A join depends on its own inputs; nodes that it only waits for, and the trigger, do not count. */
function ofJoin(
  { graph, state, frame }: Place,
  index: NodeIndex,
  isWaiting: boolean,
): NodeReadiness {
  const { node, inputs, waits } = index;
  const isFirst = node.type === "join" && node.wait === "any";
  if (isWaiting && !isFirst) return notYet;
  if (isWaiting && waits.some((edge) => !hasEnded(sourceOf(edge)))) return notYet;
  const all = [...inputs.values()].flat().filter(({ back }) => !back);
  const own = all.filter(({ source }) => !isTrigger(graph, source.node));
  let dead: DeadOrigin | null = null;
  for (const edge of own) {
    const found = deadOrigin(graph, state, frame, edge);
    if (found === null) return ready;
    dead ??= found;
  }
  if (isWaiting) return notYet;
  return dead ? skipped(graph, dead) : ready;

  function sourceOf({ source }: Edge) {
    return current(state, frame, source.node);
  }
}

function isTrigger(graph: Graph, id: string): boolean {
  return nodeIndex(graph, id).node.type === "trigger";
}

function skipped(
  graph: Graph,
  { origin: { node: id, port }, execution }: DeadOrigin,
): NodeReadiness {
  const { type } = nodeIndex(graph, id).node;
  const because = (text: string): NodeReadiness => ({ is: "skipped", because: text });
  if (execution?.status === "failed") return because(`${id} failed.`);
  if (execution?.status === "skipped") return because(`${id} was skipped.`);
  if (execution?.status !== "done") return because(`Nothing came from ${id}.${port}.`);
  if (type === "gate") return because(`${id} was answered with ${execution.outputs.choice}.`);
  if (type === "retry-gate") return because(`${id} was not passed.`);
  if (type === "loop") return because(`${id} ended with a rejection.`);
  return because(`Nothing came from ${id}.${port}.`);
}
