/** Reruns a run that has ended.
 *
 *     failed  what failed or was cancelled: work as another attempt of the same execution, in the same
 *             session; what needs no work, and all that is downstream of it, in another round. A loop
 *             in which something failed continues in the iteration that it was in.
 *     node    the node and what is downstream of it, in another round; inside a loop, in its last
 *             iteration, and then what is downstream of the loop. What failed elsewhere is retried too.
 *     start   everything, in another round.
 * If the run ended as rejected, the gates that were answered with no are asked again.
 * A failure that the workflow handled, by `onError: continue` or by a condition, stays as it is.
 */

import type { Graph, GraphNode } from "../graph.ts";
import { downstream } from "./downstream.ts";
import type { EventOf } from "./event.ts";
import type { Moment } from "./executions.ts";
import { close, recountFrame, repeat } from "./frames.ts";
import { graphIndex } from "./graph-index.ts";
import { consequence, isPassedOver, rejected, unread } from "./liveness.ts";
import { current, frameOf, isWork, iterationOf, nodesIn } from "./place.ts";
import type { Execution, Frame, RunState } from "./state.ts";

export function rerun(moment: Moment, { from, within }: EventOf<"run.rerun">): void {
  const { graph, state } = moment;
  if (state.status === "running") return;
  const asksAgain = state.status === rejected && from.what === "failed";
  Object.assign(state, { status: "running", endedAt: null, outputs: {}, error: null });
  state.within = within ?? null;
  const top = frameOf(state, "");
  if (from.what === "start") {
    state.entries.set("", (state.entries.get("") ?? 0) + 1);
    again(
      state,
      top,
      nodesIn(graph, state, top).map(({ id }) => id),
    );
  }
  if (from.what === "node") againFrom(graph, state, from.node);
  redo({ ...moment, asksAgain }, top);
  recount(graph, state, top);
}

/** Another round, in which loops are entered again and retry gates start from zero. */
function again(state: RunState, frame: Frame, nodes: Iterable<string>): void {
  const all = [...nodes];
  repeat(state, frame, all, { keepEntries: false });
  for (const id of all) frame.retries.delete(id);
}

function againFrom(graph: Graph, state: RunState, wanted: string): void {
  let frame = frameOf(state, "");
  for (const loop of loopsAround(graph, wanted)) {
    const execution = current(state, frame, loop);
    const inner = execution && iterationOf(state, execution);
    if (!inner) {
      again(state, frame, downstream(graph, loop));
      return;
    }
    reopen(execution);
    again(state, frame, below(graph, loop));
    frame = inner;
  }
  again(state, frame, downstream(graph, wanted));
}

/** Outermost first. */
function loopsAround(graph: Graph, id: string): string[] {
  const { nodes } = graphIndex(graph);
  const loops: string[] = [];
  for (let loop = nodes.get(id)?.node.parent ?? null; loop !== null; ) {
    loops.unshift(loop);
    loop = nodes.get(loop)?.node.parent ?? null;
  }
  return loops;
}

function below(graph: Graph, id: string): string[] {
  return [...downstream(graph, id)].filter((one) => one !== id);
}

function reopen(loop: Execution): void {
  const attempt = loop.attempt + 1;
  Object.assign(loop, { attempt, status: "running", outputs: {}, error: null, endedAt: null });
}

function shut({ graph, state, at }: Moment, loop: Execution): void {
  const inner = iterationOf(state, loop);
  if (inner) close(graph, state, inner, at);
  Object.assign(loop, { status: "cancelled", endedAt: at });
}

interface Redoing extends Moment {
  /** Rejected executions count as broken too. */
  readonly asksAgain: boolean;
}

/** Restarts what is broken in a frame, and in the loops that continue in it. */
function redo(moment: Redoing, frame: Frame): void {
  const { graph, state } = moment;
  const broken = nodesIn(graph, state, frame).filter(({ id }) => isBroken(moment, frame, id));
  frame.failed = null;
  frame.draining.clear();
  const later = new Set(broken.flatMap(({ id }) => below(graph, id)));
  for (const node of broken) if (!later.has(node.id)) redoNode(moment, frame, node);
  // A loop that would continue starts over if something before it starts over.
  for (const loop of goingOn(moment, frame)) if (later.has(loop.node)) shut(moment, loop);
  repeat(state, frame, later, { keepEntries: true });
  for (const loop of goingOn(moment, frame)) {
    const inner = iterationOf(state, loop);
    if (inner) redo(moment, inner);
  }
}

function isBroken({ graph, state, asksAgain }: Redoing, frame: Frame, node: string): boolean {
  const execution = current(state, frame, node);
  if (execution?.status === "cancelled") return true;
  if (execution?.status !== "done" && execution?.status !== "failed") return false;
  const after = consequence(graph, execution);
  if (after.is !== "refused") return after.is === "fail";
  if (after.refusal === "rejected" && !asksAgain) return false;
  return isPassedOver(graph, state, frame, execution, after.refusal);
}

function redoNode({ graph, state, at }: Moment, frame: Frame, node: GraphNode): void {
  const execution = current(state, frame, node.id);
  if (!execution) return;
  if (isWork(node)) {
    Object.assign(execution, { status: "retrying", retryAt: at, failures: 0, endedAt: null });
  } else if (node.type === "loop" && wasCutOff(graph, state, execution)) {
    reopen(execution);
  } else {
    repeat(state, frame, [node.id], { keepEntries: true });
    frame.retries.delete(node.id);
  }
}

/** Whether the loop itself did not fail: something in it failed or was rejected, or it was cut off. */
function wasCutOff(graph: Graph, state: RunState, loop: Execution): boolean {
  const frame = iterationOf(state, loop);
  if (loop.status === "cancelled" || frame?.failed != null) return true;
  return frame !== null && unread(graph, state, frame).length > 0;
}

function goingOn({ graph, state }: Moment, frame: Frame): Execution[] {
  return nodesIn(graph, state, frame).flatMap(({ id, type }) => {
    const execution = current(state, frame, id);
    return type === "loop" && execution?.status === "running" ? [execution] : [];
  });
}

/** Nothing runs, so everything that is left is checked for what can continue. */
function recount(graph: Graph, state: RunState, frame: Frame): void {
  recountFrame(graph, state, frame);
  for (const { id, type } of nodesIn(graph, state, frame)) {
    const execution = current(state, frame, id);
    if (execution?.status === "retrying") state.retrying.add(execution.id);
    if (type !== "loop" || execution?.status !== "running") continue;
    const inner = iterationOf(state, execution);
    if (inner) recount(graph, state, inner);
    else state.ready.add(execution.id);
  }
}
