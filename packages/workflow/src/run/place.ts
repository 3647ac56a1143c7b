/** Looks up frames and executions in a run's state. */

import type { Graph, GraphNode } from "../graph.ts";
import { type ExecutionId, executionId, type FrameId, frameId } from "./execution.ts";
import { graphIndex, nodeIndex } from "./graph-index.ts";
import type { Execution, Frame, LoopExecution, RunState } from "./state.ts";

export function frameOf(state: RunState, id: FrameId): Frame {
  const frame = state.frames.get(id);
  if (!frame) throw new Error(`Run ${state.id} has no frame "${id}".`);
  return frame;
}

/** The execution of a node in the round that it is in. */
export function currentId(frame: Frame, node: string): ExecutionId {
  return executionId({ frame: frame.id, node, round: frame.rounds.get(node) ?? 0 });
}

export function current(state: RunState, frame: Frame, node: string): Execution | undefined {
  return state.executions.get(currentId(frame, node));
}

export function hasEnded(execution: Execution | undefined): boolean {
  switch (execution?.status) {
    case "done":
    case "failed":
    case "skipped":
    case "cancelled":
      return true;
    default:
      return false;
  }
}

/** The loop that a frame is an iteration of. */
export function loopOf(state: RunState, frame: Frame): LoopExecution | null {
  const loop = frame.loop === null ? undefined : state.executions.get(frame.loop);
  return loop?.type === "loop" ? loop : null;
}

/** The last turn of an agent's current attempt; null for other nodes and before the first. */
export function currentTurn(execution: Execution): string | null {
  return execution.type === "agent" ? (execution.turns.at(-1) ?? null) : null;
}

/** A frame and the enclosing ones, innermost first. */
export function* framesAround(state: RunState, from: Frame): Generator<Frame> {
  for (let frame: Frame = from; ; ) {
    yield frame;
    const loop = loopOf(state, frame);
    if (!loop) return;
    frame = frameOf(state, loop.frame);
  }
}

/** The iteration that a loop is in. */
export function iterationOf(state: RunState, loop: Execution): Frame | null {
  return loop.type !== "loop" || loop.iteration === null
    ? null
    : (state.frames.get(frameId(loop.id, loop.iteration)) ?? null);
}

/** The nodes of a frame. */
export function nodesIn(graph: Graph, state: RunState, frame: Frame): readonly GraphNode[] {
  const loop = loopOf(state, frame);
  return loop ? nodeIndex(graph, loop.node).children : graphIndex(graph).top;
}

const works: ReadonlySet<string> = new Set(["agent", "shell", "function", "workdir"]);

/** Whether it has an effect, so that the engine must do work. */
export function isWork({ type }: GraphNode): boolean {
  return works.has(type);
}
