/** What the end of one node means for the next: an edge is alive if the node at its end may run.
 *
 *     skipped, cancelled                                     ──▶ dead
 *     a gate got another choice than its first  ┐
 *     a retry gate was not passed               ├ refused    ──▶ dead, except into conditions on it and
 *     failed, and a condition reads that        │                behind the outcome that these took
 *     a loop in which a "no" was not read       ┘
 *     failed, and no condition reads that                    ──▶ the frame that it is in fails
 *     all else, and where `continue` or `done` is written    ──▶ alive
 */

import type { Edge, Graph, GraphNode } from "../graph.ts";
import {
  behind,
  conditionsOn,
  edgeOrigins,
  isJudged,
  type Origin,
  type RefusalKind,
  takenBy,
} from "./conditions.ts";
import { nodeIndex } from "./graph-index.ts";
import { current, hasEnded, iterationOf, nodesIn } from "./place.ts";
import type { Execution, Frame, RunState } from "./state.ts";

export const rejected = "rejected";

/** `quiet`: a refusal that the file says to ignore, so the run still succeeds. */
export type Consequence =
  | { readonly is: "alive" | "dead" }
  | { readonly is: "fail"; readonly refusal: RefusalKind }
  | { readonly is: "refused"; readonly refusal: RefusalKind; readonly quiet: boolean };

const alive: Consequence = { is: "alive" };
const dead: Consequence = { is: "dead" };
const fail: Consequence = { is: "fail", refusal: "failed" };

export function consequence(graph: Graph, execution: Execution): Consequence {
  const { node } = nodeIndex(graph, execution.node);
  switch (execution.status) {
    case "done":
      return isRejected(node, execution)
        ? { is: "refused", refusal: "rejected", quiet: false }
        : alive;
    case "failed":
      return node.type === "gate" && execution.error?.code === rejected
        ? { is: "fail", refusal: "rejected" }
        : ofFailure(graph, node);
    default:
      return dead;
  }
}

/** Its answer is no, and the file does not say to continue then. */
function isRejected(node: GraphNode, { outputs }: Execution): boolean {
  switch (node.type) {
    case "gate":
      return !outputs.approved && node.onReject !== "continue";
    case "retry-gate":
      return outputs.passed === false && node.onMaximum === null;
    case "loop":
      return outputs.ended === rejected;
    default:
      return false;
  }
}

/** What a failure of the node will mean. */
export function ofFailure(graph: Graph, { id, onError }: GraphNode): Consequence {
  if (onError === "continue") return alive;
  if (onError === "skip") return { is: "refused", refusal: "failed", quiet: true };
  if (onError === "fail" || !isJudged(graph, id, "failed")) return fail;
  return { is: "refused", refusal: "failed", quiet: false };
}

/** Edges from a loop's inputs and docks are always alive: null is a value. */
export function isLive(graph: Graph, state: RunState, frame: Frame, edge: Edge): boolean {
  return deadOrigin(graph, state, frame, edge) === null;
}

export interface DeadOrigin {
  readonly origin: Origin;
  readonly execution: Execution | undefined;
}

/** The node that made an edge dead; null if the edge is alive. */
export function deadOrigin(
  graph: Graph,
  state: RunState,
  frame: Frame,
  edge: Edge,
): DeadOrigin | null {
  if (edge.source.from !== "output" || edge.back) return null;
  let within: Frame | null = frame;
  for (const origin of edgeOrigins(graph, edge)) {
    const execution: Execution | undefined = within
      ? current(state, within, origin.node)
      : undefined;
    if (!execution || !hasEnded(execution)) return { origin, execution };
    if (isUntaken(graph, execution, origin.port)) return { origin, execution };
    const after = consequence(graph, execution);
    if (after.is !== "alive" && !isExcepted({ graph, state, frame, edge }, origin, after))
      return { origin, execution };
    within = iterationOf(state, execution);
  }
  return null;
}

function isUntaken(graph: Graph, { status, outputs, node }: Execution, port: string): boolean {
  const isOutcome = port === "true" || port === "false";
  const { type } = nodeIndex(graph, node).node;
  return type === "branch" && status === "done" && isOutcome && !Object.hasOwn(outputs, port);
}

interface Leading {
  readonly graph: Graph;
  readonly state: RunState;
  readonly frame: Frame;
  readonly edge: Edge;
}

/** Whether the target of an edge may read it although its source was refused. */
function isExcepted(
  { graph, state, frame, edge: { target } }: Leading,
  { node: id, port }: Origin,
  after: Consequence,
): boolean {
  if (after.is !== "refused" && after.is !== "fail") return false;
  // Docks and outputs of a loop start nothing by themselves.
  if (target.to === "loop-output") return true;
  const { node } = nodeIndex(graph, target.node);
  if (target.to === "dock") {
    const isKept = node.type === "loop" && isFeedback(node, target.dock);
    return isKept || conditionsOn(graph, id, after.refusal).decidesLoop;
  }
  // An output of the run may report the rejection, but not contain what was rejected.
  if (node.type === "output") return nodeIndex(graph, id).node.type !== "gate" || port !== "output";
  const { nodes } = conditionsOn(graph, id, after.refusal);
  return nodes.has(node.id) || isBehind({ graph, state, frame }, node, nodes);
}

function isFeedback({ docks }: Extract<GraphNode, { type: "loop" }>, name: string): boolean {
  return docks.find((dock) => dock.name === name)?.type === "feedback";
}

/** Whether the node comes after the outcome that one of these conditions took. */
function isBehind(
  { graph, state, frame }: Omit<Leading, "edge">,
  { id, parent }: GraphNode,
  conditions: ReadonlySet<string>,
): boolean {
  for (const condition of conditions) {
    const { node } = nodeIndex(graph, condition);
    const execution = node.parent === parent ? current(state, frame, condition) : undefined;
    const taken = execution?.status === "done" ? takenBy(node, execution.outputs) : null;
    if (taken !== null && behind(graph, condition, taken).has(id)) return true;
  }
  return false;
}

/** Rejections and failures in an ended frame that no condition has read. */
export function unread(
  graph: Graph,
  state: RunState,
  frame: Frame,
): { readonly execution: Execution; readonly refusal: RefusalKind }[] {
  return nodesIn(graph, state, frame).flatMap(({ id }) => {
    const execution = current(state, frame, id);
    const after = execution && consequence(graph, execution);
    if (!execution || after?.is !== "refused" || after.quiet) return [];
    return isPassedOver(graph, state, frame, execution, after.refusal)
      ? [{ execution, refusal: after.refusal }]
      : [];
  });
}

/** Whether no condition reads its result: there is none, or all were skipped. */
export function isPassedOver(
  graph: Graph,
  state: RunState,
  frame: Frame,
  { node }: Execution,
  refusal: RefusalKind,
): boolean {
  const { inFrame, decidesLoop } = conditionsOn(graph, node, refusal);
  return !decidesLoop && inFrame.every((id) => current(state, frame, id)?.status === "skipped");
}
