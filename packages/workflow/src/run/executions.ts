/** The record of one execution, from its beginning. */

import type { Graph, NodeType } from "../graph.ts";
import { type ExecutionId, parseExecutionId } from "./execution.ts";
import { nodeIndex } from "./graph-index.ts";
import { currentId, hasEnded } from "./place.ts";
import type { Execution, RunState } from "./state.ts";

/** The state that an event is applied to, and when it happened. */
export interface Moment {
  readonly graph: Graph;
  readonly state: RunState;
  readonly at: number;
}

/** Null if the event comes too late: the execution has ended, or its node is in another round. */
export function findOrBegin(
  { graph, state, at }: Moment,
  { execution: id, attempt }: { readonly execution: ExecutionId; readonly attempt: number },
): Execution | null {
  const known = state.executions.get(id);
  if (known) return hasEnded(known) || attempt < known.attempt ? null : known;
  const { frame, node, round } = parseExecutionId(id);
  const around = state.frames.get(frame);
  if (!around || currentId(around, node) !== id) return null;
  const execution = {
    ...typeFields(nodeIndex(graph, node).node.type),
    id,
    frame,
    node,
    round,
    attempt,
    failures: 0,
    status: "running",
    outputs: {},
    error: null,
    retryAt: null,
    because: null,
    foreign: true,
    warnings: [],
    startedAt: at,
    endedAt: null,
  } as Execution;
  state.executions.set(id, execution);
  return execution;
}

/** The fields that only this type of execution has. */
function typeFields(type: NodeType) {
  switch (type) {
    case "agent":
      return {
        type,
        session: null,
        began: false,
        turns: [],
        outcome: null,
        tokens: null,
        denied: [],
      };
    case "shell":
      return { type, boot: null };
    case "gate":
      return { type, item: null };
    case "loop":
      return { type, entry: null, iteration: null };
    default:
      return { type };
  }
}
