/**
 * What the end of one node means for the next: an edge is live when it carries on, dead when what
 * hangs on it is not to run.
 */

import type { Edge, Graph, GraphNode } from "../graph.ts";
import { nodeIndex } from "./graph-index.ts";
import { current, hasEnded } from "./place.ts";
import type { Execution, Frame, RunState } from "./state.ts";

/** `fail`: the frame that it stands in fails. */
export type Consequence = "live" | "dead" | "fail";

export const rejected = "rejected";

export function consequence(node: GraphNode, execution: Execution): Consequence {
  switch (execution.status) {
    case "done":
      return node.type === "gate" && !execution.outputs.approved && node.onReject === "skip"
        ? "dead"
        : "live";
    case "failed":
      return node.type === "gate" && execution.error?.code === rejected ? "fail" : ofFailure(node);
    default:
      return "dead";
  }
}

/** What a failure of the node will mean. */
export function ofFailure({ onError }: GraphNode): Consequence {
  return onError === "fail" ? "fail" : onError === "skip" ? "dead" : "live";
}

/** What loops hand in, their inputs and docks, is always live: null is a value. */
export function isLive(graph: Graph, state: RunState, frame: Frame, edge: Edge): boolean {
  const { source, back } = edge;
  if (source.from !== "output" || back) return true;
  const execution = current(state, frame, source.node);
  if (!execution || !hasEnded(execution)) return false;
  const { node } = nodeIndex(graph, source.node);
  if (consequence(node, execution) !== "live") return false;
  return !isUntaken(node, execution, source.port);
}

function isUntaken({ type }: GraphNode, { status, outputs }: Execution, port: string): boolean {
  const isOutcome = port === "true" || port === "false";
  return type === "branch" && status === "done" && isOutcome && !Object.hasOwn(outputs, port);
}
