/** Whether a run can advance by itself, and which people it waits for. */

import type { Graph } from "../graph.ts";
import { currentTurn } from "./place.ts";
import type { RunState, RunStatus } from "./state.ts";

/** Something waits for a person, and nothing else can advance. */
export function isWaiting(_graph: Graph, state: RunState): boolean {
  const { status, cancelling, waiting, ready, queue, active, retrying } = state;
  if (status !== "running" || cancelling || waiting.size === 0) return false;
  return ready.size + queue.size + active.size + retrying.size === 0;
}

export function runStatus(graph: Graph, state: RunState): RunStatus {
  return isWaiting(graph, state) ? "waiting" : state.status;
}

/** Ids of the inbox items and turns that wait for a person. */
export function waitsFor({ waiting, executions }: RunState): string[] {
  return [...waiting].flatMap((id) => {
    const execution = executions.get(id);
    if (execution?.type === "gate") return execution.item ?? [];
    return (execution && currentTurn(execution)) ?? [];
  });
}
