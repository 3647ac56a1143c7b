/** Applies one event to the state. An execution moves through these states:
 *
 *     (not there) ──▶ running ──▶ done | failed | cancelled
 *          │           │  ▲ ▲
 *          │           │  │ └─ waiting (its agent asked; a gate is open) ──▶ done | failed
 *          │           └──┴─── retrying (failed, and will be tried again)
 *          └──▶ done | failed | skipped   (without an effect: one event)
 * An ended execution does not change; another round, or a rerun, is another execution or attempt. An event
 * that comes too late (an answer to a closed gate) changes nothing.
 */

import type { Graph } from "../graph.ts";
import { gateAnswered, gateExpired, nodeDone, nodeFailed, nodeSkipped } from "./apply-end.ts";
import { outputsOf } from "./ending.ts";
import type { EventOf, RunEvent } from "./event.ts";
import { type ExecutionId, frameId, parseExecutionId } from "./execution.ts";
import { findOrBegin, type Moment } from "./executions.ts";
import {
  activate,
  beginFrame,
  close,
  deactivate,
  delayRetries,
  release,
  repeat,
} from "./frames.ts";
import { nodeIndex } from "./graph-index.ts";
import { resolveInputs } from "./inputs.ts";
import { docksLeft } from "./loop.ts";
import { frameOf, hasEnded, iterationOf } from "./place.ts";
import { rerun } from "./rerun.ts";
import { repeatedNodes } from "./retry-gate.ts";
import { noteSession } from "./sessions.ts";
import type { AgentExecution, RunState } from "./state.ts";

export function apply(
  graph: Graph,
  state: RunState,
  event: RunEvent,
  { seq, at }: { readonly seq: number; readonly at: number },
): void {
  state.seq = seq;
  if (state.status !== "running" && event.type !== "run.rerun") return;
  const take = handlers[event.type] as (moment: Moment, event: RunEvent) => void;
  take({ graph, state, at }, event);
}

const handlers: { [Type in RunEvent["type"]]: (moment: Moment, event: EventOf<Type>) => void } = {
  "run.started": runStarted,
  "run.cancelling": cancelling,
  "run.stuck": () => {},
  "run.retried": () => {},
  "run.rerun": rerun,
  "run.ended": runEnded,
  "node.started": nodeStarted,
  "node.asked": asked,
  "node.waiting": waits,
  "node.answered": goesOn,
  "node.done": nodeDone,
  "node.failed": nodeFailed,
  "node.skipped": nodeSkipped,
  "loop.entered": entered,
  "iteration.began": iterationBegan,
  "gate.opened": gateOpened,
  "gate.answered": gateAnswered,
  "gate.expired": gateExpired,
  "retry.begun": retryBegun,
};

function runStarted({ graph, state, at }: Moment, event: EventOf<"run.started">): void {
  state.format = event.format;
  state.inputs = event.inputs;
  state.folder = event.folder;
  state.trigger = event.trigger;
  state.continuity = event.continuity ?? null;
  state.access = event.access ?? null;
  state.within = event.within ?? null;
  state.startedAt = at;
  state.entries.set("", 1);
  beginFrame(graph, state, { id: "", loop: null, iteration: 1, docks: {} });
}

function nodeStarted(moment: Moment, event: EventOf<"node.started">): void {
  const { graph, state } = moment;
  const execution = findOrBegin(moment, event);
  if (!execution) return;
  const frame = frameOf(state, execution.frame);
  const { node, ports } = nodeIndex(graph, execution.node);
  execution.attempt = event.attempt;
  execution.startedAt = moment.at;
  execution.status = "running";
  execution.error = null;
  execution.retryAt = null;
  if (execution.type === "agent") execution.turns = event.turn === undefined ? [] : [event.turn];
  if (execution.type === "shell") execution.boot = event.boot ?? null;
  if (ports.some(({ type }) => type === "boolean")) {
    const inputs = resolveInputs(graph, state, frame, node);
    if (!("problem" in inputs)) execution.warnings = inputs.warnings;
  }
  if (event.session !== undefined && node.type === "agent" && execution.type === "agent") {
    const { began } = noteSession({ graph, state, frame, node }, event.session);
    execution.began ||= began;
    execution.session = event.session;
  }
  activate(state, execution);
  delayRetries(graph, state, execution);
}

function asked({ state }: Moment, event: EventOf<"node.asked">): void {
  const execution = inTurn(state, event);
  if (execution) addTurn(execution, event.turn);
}

function waits({ state }: Moment, event: EventOf<"node.waiting">): void {
  const execution = inTurn(state, event);
  if (!execution) return;
  addTurn(execution, event.turn);
  execution.status = "waiting";
  deactivate(state, execution);
  state.waiting.add(execution.id);
}

function goesOn({ state }: Moment, event: EventOf<"node.answered">): void {
  const execution = inTurn(state, event);
  if (!execution) return;
  execution.status = "running";
  activate(state, execution);
}

/** The execution that an event in the middle of an agent's work is about. */
function inTurn(
  state: RunState,
  { execution: id, attempt }: { readonly execution: ExecutionId; readonly attempt: number },
): AgentExecution | null {
  const execution = state.executions.get(id);
  if (execution?.type !== "agent" || hasEnded(execution)) return null;
  return execution.attempt === attempt ? execution : null;
}

function addTurn({ turns }: AgentExecution, turn: string): void {
  if (turns.at(-1) !== turn) turns.push(turn);
}

function entered(moment: Moment, { execution: id, entry }: EventOf<"loop.entered">): void {
  const { graph, state } = moment;
  const execution = findOrBegin(moment, { execution: id, attempt: 1 });
  if (execution?.type !== "loop") return;
  execution.entry = entry;
  state.ready.add(id);
  delayRetries(graph, state, execution);
  state.entries.set(execution.node, Math.max(entry, state.entries.get(execution.node) ?? 0));
}

function iterationBegan(
  { graph, state }: Moment,
  { loop: id, iteration }: EventOf<"iteration.began">,
): void {
  const loop = state.executions.get(id);
  if (loop?.type !== "loop" || hasEnded(loop)) return;
  const { node } = nodeIndex(graph, loop.node);
  const before = iterationOf(state, loop);
  const docks = before && node.type === "loop" ? docksLeft(graph, state, node, before) : {};
  before?.pending.clear();
  loop.iteration = iteration;
  state.ready.delete(id);
  beginFrame(graph, state, { id: frameId(id, iteration), loop: id, iteration, docks });
}

function gateOpened(moment: Moment, { execution: id, item }: EventOf<"gate.opened">): void {
  const { graph, state } = moment;
  const execution = findOrBegin(moment, { execution: id, attempt: 1 });
  if (execution?.type !== "gate") return;
  execution.status = "waiting";
  execution.item = item;
  state.ready.delete(id);
  state.waiting.add(id);
  delayRetries(graph, state, execution);
}

function retryBegun(moment: Moment, event: EventOf<"retry.begun">): void {
  const { graph, state, at } = moment;
  const { execution: id, retry, feedback } = event;
  const { node } = nodeIndex(graph, parseExecutionId(id).node);
  const execution = findOrBegin(moment, { execution: id, attempt: 1 });
  if (!execution || node.type !== "retry-gate") return;
  const outputs = { passed: false, retry_feedback: feedback, retry_count: retry - 1 };
  Object.assign(execution, { status: "done", outputs, endedAt: at });
  state.ready.delete(id);
  const frame = frameOf(state, execution.frame);
  frame.retries.set(node.id, { count: retry, feedback });
  const nodes = new Set([...repeatedNodes(graph, node), node.id]);
  repeat(state, frame, nodes, { keepEntries: true });
  release(graph, state, frame, nodes);
}

function cancelling({ state }: Moment): void {
  state.cancelling = true;
  for (const set of [state.ready, state.queue, state.retrying]) set.clear();
}

function runEnded({ graph, state, at }: Moment, event: EventOf<"run.ended">): void {
  const top = state.frames.get("");
  const outputs = event.outputs ?? outputsOf(graph, state);
  if (top) close(graph, state, top, at);
  for (const set of [state.ready, state.queue, state.retrying, state.waiting]) set.clear();
  state.status = event.status;
  state.outputs = outputs;
  state.error = event.error;
  state.endedAt = at;
  state.cancelling = false;
}
