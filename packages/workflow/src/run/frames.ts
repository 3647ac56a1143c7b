/** What becomes possible when an execution ends. Every frame counts how many others each of its nodes still
 * waits for, so an end looks only at the nodes that waited for it. Whatever can continue is put into one of
 * the state's sets, and `advance` reads only those:
 *
 *     all that it waits for has ended ──▶ ready (no effect, or to be skipped)
 *                                    └──▶ queue (a work, which needs room)
 *     all of an iteration has ended, or it failed and nothing of it runs ──▶ ready (its loop)
 *     a retry gate wants a retry, and nothing that it repeats is under way ──▶ ready (the gate)
 */

import type { Graph, GraphNode } from "../graph.ts";
import type { NamedValues } from "./event.ts";
import type { ExecutionId, FrameId } from "./execution.ts";
import { nodeIndex } from "./graph-index.ts";
import { consequence } from "./liveness.ts";
import {
  current,
  currentId,
  frameOf,
  framesAround,
  hasEnded,
  isWork,
  iterationOf,
  nodesIn,
} from "./place.ts";
import { readiness } from "./readiness.ts";
import { check, isDrained, repeatedNodes } from "./retry-gate.ts";
import type { Execution, Frame, RunState } from "./state.ts";

export interface NewFrame {
  readonly id: FrameId;
  readonly loop: ExecutionId | null;
  readonly iteration: number;
  readonly docks: NamedValues;
}

export function beginFrame(graph: Graph, state: RunState, begun: NewFrame): void {
  const frame: Frame = {
    ...begun,
    rounds: new Map(),
    pending: new Map(),
    open: 0,
    active: 0,
    failed: null,
    draining: new Set(),
    retries: new Map(),
    kept: new Map(),
  };
  state.frames.set(frame.id, frame);
  recountFrame(graph, state, frame);
}

/** Recounts a frame and offers what can continue in it. */
export function recountFrame(graph: Graph, state: RunState, frame: Frame): void {
  const nodes = nodesIn(graph, state, frame);
  frame.open = nodes.filter(({ id }) => !hasEnded(current(state, frame, id))).length;
  for (const { id } of nodes) countSources(graph, state, frame, id);
  for (const { id } of nodes) offer(graph, state, frame, id);
  if (frame.open === 0) offerLoop(state, frame);
}

function countSources(graph: Graph, state: RunState, frame: Frame, node: string): void {
  const { sources } = nodeIndex(graph, node);
  const pending = sources.filter((source) => !hasEnded(current(state, frame, source)));
  frame.pending.set(node, pending.length);
}

/** Puts a node where `advance` finds it, if it can start and has not started. */
function offer(graph: Graph, state: RunState, frame: Frame, id: string): void {
  if (!mayBegin(state, frame) || isHeld(graph, frame, id)) return;
  if (current(state, frame, id)) return;
  const { node } = nodeIndex(graph, id);
  const { is } = readiness(graph, state, frame, node);
  if (is === "not-yet") return;
  if (is === "ready" && node.type === "retry-gate" && drain(graph, state, frame, node)) return;
  const set = is === "ready" && isWork(node) ? state.queue : state.ready;
  set.add(currentId(frame, id));
}

function offerLoop(state: RunState, { loop }: Frame): void {
  if (loop !== null && !state.cancelling) state.ready.add(loop);
}

/** Nothing starts in a cancelled run, or if something failed in the frame or an enclosing one. */
export function mayBegin(state: RunState, frame: Frame): boolean {
  return !state.cancelling && outermostFailed(state, frame) === null;
}

function outermostFailed(state: RunState, frame: Frame): Frame | null {
  let found: Frame | null = null;
  for (const around of framesAround(state, frame)) if (around.failed !== null) found = around;
  return found;
}

/** A retry that is about to begin will repeat it. */
function isHeld(graph: Graph, frame: Frame, id: string): boolean {
  return holders(graph, frame, id).length > 0;
}

/** The gates whose pending retry will repeat the node. */
function holders(graph: Graph, { draining }: Frame, id: string): string[] {
  return [...draining].filter((gate) => {
    const { node } = nodeIndex(graph, gate);
    return node.type === "retry-gate" && repeatedNodes(graph, node).has(id);
  });
}

/** An execution started. It may have been decided at the same moment as a retry. */
export function delayRetries(graph: Graph, state: RunState, { frame: id, node }: Execution): void {
  const frame = frameOf(state, id);
  for (const gate of holders(graph, frame, node)) state.ready.delete(currentId(frame, gate));
}

/** Whether the gate wants a retry; then nothing that it will repeat is started. */
function drain(
  graph: Graph,
  state: RunState,
  frame: Frame,
  gate: Extract<GraphNode, { type: "retry-gate" }>,
): boolean {
  const checked = check(graph, state, frame, gate);
  if ("problem" in checked || checked.next !== "retry") return false;
  frame.draining.add(gate.id);
  for (const node of repeatedNodes(graph, gate)) {
    // What has started runs to its end.
    if (current(state, frame, node)) continue;
    state.ready.delete(currentId(frame, node));
    state.queue.delete(currentId(frame, node));
  }
  offerDrained(graph, state, frame);
  return true;
}

function offerDrained(graph: Graph, state: RunState, frame: Frame): void {
  for (const id of frame.draining) {
    const { node } = nodeIndex(graph, id);
    if (node.type !== "retry-gate" || isOvertaken(graph, frame, id)) continue;
    if (isDrained(graph, state, frame, node)) state.ready.add(currentId(frame, id));
  }
}

/** Whether another retry will repeat the gate itself; if two would repeat each other, one goes first. */
function isOvertaken(graph: Graph, frame: Frame, id: string): boolean {
  return holders(graph, frame, id).some(
    (other) => other !== id && (other < id || !holders(graph, frame, other).includes(id)),
  );
}

/** The work of an execution runs from now on. */
export function activate(state: RunState, { id, frame }: Execution): void {
  forget(state, id);
  if (state.active.has(id)) return;
  state.active.add(id);
  for (const around of framesAround(state, frameOf(state, frame))) around.active += 1;
}

/** Its work no longer runs; it may wait or have ended. */
export function deactivate(state: RunState, { id, frame }: Execution): void {
  forget(state, id);
  if (!state.active.delete(id)) return;
  const own = frameOf(state, frame);
  for (const around of framesAround(state, own)) around.active -= 1;
  const failed = outermostFailed(state, own);
  if (failed) offerFailed(state, failed);
}

function forget(state: RunState, id: ExecutionId): void {
  for (const set of [state.ready, state.queue, state.retrying, state.waiting]) set.delete(id);
}

/** Updates the counts after an execution has ended and its status is set. */
export function settle(graph: Graph, state: RunState, execution: Execution): void {
  deactivate(state, execution);
  const frame = frameOf(state, execution.frame);
  const { successors } = nodeIndex(graph, execution.node);
  frame.open -= 1;
  if (consequence(graph, execution).is === "fail") fail(state, frame, execution);
  for (const next of successors) frame.pending.set(next, (frame.pending.get(next) ?? 1) - 1);
  const failed = outermostFailed(state, frame);
  if (failed) offerFailed(state, failed);
  else offerNext(graph, state, frame, successors);
}

function offerNext(
  graph: Graph,
  state: RunState,
  frame: Frame,
  successors: readonly string[],
): void {
  for (const next of successors) offer(graph, state, frame, next);
  offerDrained(graph, state, frame);
  if (frame.open === 0) offerLoop(state, frame);
}

/** Nothing more starts in a failed frame, or in the loops inside it. */
function fail(state: RunState, frame: Frame, { id }: Execution): void {
  frame.failed ??= id;
  frame.draining.clear();
  const within = frame.id === "" ? "" : `${frame.id}/`;
  for (const set of [state.ready, state.queue, state.retrying])
    for (const one of set) if (one.startsWith(within)) set.delete(one);
}

/** The loop fails once everything that ran in its iteration has ended. */
function offerFailed(state: RunState, failed: Frame): void {
  if (failed.active === 0) offerLoop(state, failed);
}

/** What has not ended in a frame never will. */
export function close(graph: Graph, state: RunState, frame: Frame, at: number): void {
  for (const { id } of nodesIn(graph, state, frame)) {
    const execution = current(state, frame, id);
    if (!execution || hasEnded(execution)) continue;
    const inner = iterationOf(state, execution);
    if (inner) close(graph, state, inner, at);
    execution.status = "cancelled";
    execution.retryAt = null;
    execution.endedAt = at;
    deactivate(state, execution);
  }
}

/** Gives another round to those of the nodes that have started. */
export function repeat(
  state: RunState,
  frame: Frame,
  nodes: Iterable<string>,
  { keepEntries }: { readonly keepEntries: boolean },
): void {
  for (const id of nodes) {
    const execution = current(state, frame, id);
    if (!execution) continue;
    frame.kept.delete(id);
    if (keepEntries && execution.type === "loop" && execution.entry !== null)
      frame.kept.set(id, execution.entry);
    frame.rounds.set(id, execution.round + 1);
  }
}

/** After a retry began: frees what it repeats, and what a retry that it overtook had blocked. */
export function release(
  graph: Graph,
  state: RunState,
  frame: Frame,
  nodes: ReadonlySet<string>,
): void {
  const freed = new Set(nodes);
  for (const id of frame.draining) {
    const { node } = nodeIndex(graph, id);
    if (!nodes.has(id) || node.type !== "retry-gate") continue;
    frame.draining.delete(id);
    for (const one of repeatedNodes(graph, node)) freed.add(one);
  }
  for (const id of freed) countSources(graph, state, frame, id);
  frame.open = nodesIn(graph, state, frame).filter(
    ({ id }) => !hasEnded(current(state, frame, id)),
  ).length;
  for (const id of freed) offer(graph, state, frame, id);
}
