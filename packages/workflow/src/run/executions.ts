/** The record of one execution, from its beginning. */

import type { Graph } from "../graph.ts";
import { type ExecutionId, parseExecutionId } from "./execution.ts";
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
  { state, at }: Moment,
  { execution: id, attempt }: { readonly execution: ExecutionId; readonly attempt: number },
): Execution | null {
  const known = state.executions.get(id);
  if (known) return hasEnded(known) || attempt < known.attempt ? null : known;
  const { frame, node, round } = parseExecutionId(id);
  const around = state.frames.get(frame);
  if (!around || currentId(around, node) !== id) return null;
  const execution: Execution = {
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
    session: null,
    began: false,
    turns: [],
    boot: null,
    item: null,
    entry: null,
    iteration: null,
    outcome: null,
    tokens: null,
    denied: [],
    because: null,
    foreign: true,
    warnings: [],
    startedAt: at,
    endedAt: null,
  };
  state.executions.set(id, execution);
  return execution;
}
