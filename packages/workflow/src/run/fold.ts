/** The state of a run, made from its events. */

import type { Graph } from "../graph.ts";
import { apply } from "./apply.ts";
import type { RunEvent } from "./event.ts";
import type { RunState } from "./state.ts";

/** An event as the stream has it. */
export interface Happened {
  readonly event: RunEvent;
  readonly seq: number;
  readonly at: number;
}

export function fold(graph: Graph, id: string, events: Iterable<Happened>): RunState {
  const state = emptyState(id);
  for (const { event, seq, at } of events) apply(graph, state, event, { seq, at });
  return state;
}

/** A run without events. */
export function emptyState(id: string): RunState {
  return {
    id,
    seq: 0,
    status: "running",
    format: 1,
    inputs: {},
    folder: "",
    trigger: null,
    continuity: null,
    access: null,
    within: null,
    startedAt: 0,
    endedAt: null,
    cancelling: false,
    outputs: {},
    error: null,
    frames: new Map(),
    executions: new Map(),
    entries: new Map(),
    minted: new Map(),
    named: new Map(),
    sessions: new Set(),
    ready: new Set(),
    queue: new Set(),
    active: new Set(),
    retrying: new Set(),
    waiting: new Set(),
  };
}
