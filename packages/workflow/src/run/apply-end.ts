/** Applies the events that end an execution. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { GateNode, Graph, GraphNode, LoopNode } from "../graph.ts";
import { templateNames } from "../template.ts";
import { type Completed, complete } from "./complete.ts";
import type { EventOf, NamedValues } from "./event.ts";
import { findOrBegin, type Moment } from "./executions.ts";
import { close, deactivate, mayBegin, settle } from "./frames.ts";
import { deadlineAnswer, expiry, type GateAnswer, gateOutputs, rejection } from "./gate.ts";
import { nodeIndex } from "./graph-index.ts";
import { rejected } from "./liveness.ts";
import { judgeIteration, loopOutputs } from "./loop.ts";
import { fitOutputs } from "./outputs.ts";
import { frameOf, iterationOf } from "./place.ts";
import type { RunProblem } from "./problem.ts";
import { check } from "./retry-gate.ts";
import { withFeedback } from "./shell-feedback.ts";
import type { Execution, RunState } from "./state.ts";

export function nodeDone(moment: Moment, event: EventOf<"node.done">): void {
  const execution = findOrBegin(moment, event);
  if (!execution) return;
  const { node } = nodeIndex(moment.graph, execution.node);
  const made = madeBy(moment, node, execution, event.outputs);
  if (!("problem" in made)) {
    execution.outputs = made.outputs;
    execution.foreign = made.foreign;
    execution.warnings = [...execution.warnings, ...made.warnings];
  }
  execution.status = "done";
  execution.error = null;
  end(moment, execution, event);
}

/** The outputs: the result of the work, or what follows from the state. */
function madeBy(
  { graph, state }: Moment,
  node: GraphNode,
  execution: Execution,
  outputs: NamedValues,
): Completed | RunProblem {
  const frame = frameOf(state, execution.frame);
  switch (node.type) {
    case "agent":
      return worked(node, { ...sessionOf(execution), ...outputs });
    case "workdir":
      // If its path contains no value, no other node influenced it.
      return { ...made(outputs), foreign: templateNames(node.path).length > 0 };
    case "shell":
      return worked(node, withFeedback(outputs, null));
    case "function":
      return worked(node, outputs);
    case "gate":
      return made(outputs);
    case "loop":
      return iterated(graph, state, node, execution);
    case "retry-gate": {
      const checked = check(graph, state, frame, node);
      return "problem" in checked ? checked : { ...checked, foreign: true };
    }
    default:
      return complete(graph, state, frame, node);
  }
}

/** Values of the wrong type are refused before they are recorded, but earlier versions recorded them. */
function worked(node: GraphNode, given: NamedValues): Completed {
  const fitted = fitOutputs(node, given);
  return "problem" in fitted ? made(given) : { ...fitted, foreign: true };
}

function made(outputs: NamedValues): Completed {
  return { outputs, foreign: true, warnings: [] };
}

function iterated(graph: Graph, state: RunState, node: LoopNode, loop: Execution): Completed {
  const frame = iterationOf(state, loop);
  if (!frame) return made({ iterations: 0, ended: "failed" });
  const judged = judgeIteration(graph, state, node, frame);
  const isBroken = frame.failed !== null || "problem" in judged;
  const ended = isBroken ? "failed" : judged.next;
  const outputs = {
    ...loopOutputs(graph, state, node, frame),
    iterations: frame.iteration,
    ended,
    ...(ended === rejected ? { success: false } : {}),
  };
  return { outputs, foreign: true, warnings: isBroken ? [] : judged.warnings };
}

export function nodeFailed(moment: Moment, event: EventOf<"node.failed">): void {
  const { graph, state, at } = moment;
  const execution = findOrBegin(moment, event);
  if (!execution) return;
  execution.attempt = event.attempt;
  execution.failures += 1;
  execution.error = event.error;
  execution.outputs = failureOutputs(moment, execution, event);
  if (event.retryAt !== null && mayBegin(state, frameOf(state, execution.frame))) {
    execution.status = "retrying";
    execution.retryAt = event.retryAt;
    deactivate(state, execution);
    state.retrying.add(execution.id);
    return;
  }
  const isCancelled = state.cancelling && event.error.code === "cancelled";
  execution.status = isCancelled ? "cancelled" : "failed";
  const inner = iterationOf(state, execution);
  if (inner) close(graph, state, inner, at);
  end(moment, execution, event);
}

/** An agent that failed still says which session it was in. */
function failureOutputs(
  { graph, state }: Moment,
  execution: Execution,
  { error, outputs: given }: EventOf<"node.failed">,
): NamedValues {
  const { node } = nodeIndex(graph, execution.node);
  const derived =
    node.type === "loop" ? iterated(graph, state, node, execution).outputs : sessionOf(execution);
  const outputs = node.type === "shell" ? withFeedback(given, error) : given;
  return { ...derived, success: false, error: error.message, ...outputs };
}

function sessionOf(execution: Execution): NamedValues {
  const hasSession = execution.type === "agent" && execution.session !== null;
  return hasSession ? { sessionId: execution.session } : {};
}

export function nodeSkipped(
  moment: Moment,
  { execution: id, because }: EventOf<"node.skipped">,
): void {
  const execution = findOrBegin(moment, { execution: id, attempt: 1 });
  if (!execution) return;
  execution.status = "skipped";
  execution.because = because;
  end(moment, execution, {});
}

export function gateAnswered(moment: Moment, event: EventOf<"gate.answered">): void {
  resolve(moment, event, () => event);
}

export function gateExpired(moment: Moment, event: EventOf<"gate.expired">): void {
  resolve(moment, event, deadlineAnswer);
}

function resolve(
  moment: Moment,
  event: EventOf<"gate.answered" | "gate.expired">,
  answerTo: (node: GateNode) => GateAnswer | null,
): void {
  const { graph, state } = moment;
  const execution = state.executions.get(event.execution);
  if (execution?.type !== "gate" || execution.status !== "waiting") return;
  if (execution.item !== event.item) return;
  const { node } = nodeIndex(graph, execution.node);
  if (node.type !== "gate") return;
  const answer = answerTo(node);
  const frame = frameOf(state, execution.frame);
  if (answer) execution.outputs = gateOutputs(graph, state, frame, node, answer);
  const error = gateError(state, node, answer, execution);
  execution.status = error ? "failed" : "done";
  execution.error = error;
  if (error) execution.outputs = { ...execution.outputs, success: false, error: error.message };
  end(moment, execution, {});
}

function gateError(
  state: RunState,
  node: GateNode,
  answer: GateAnswer | null,
  { outputs }: Execution,
): ErrorView | null {
  if (answer === null) return expiry(state, node).problem;
  return outputs.approved || node.onReject !== "fail"
    ? null
    : rejection(state, node, answer).problem;
}

function end(
  { graph, state, at }: Moment,
  execution: Execution,
  { outcome, tokens, denied }: Pick<EventOf<"node.done">, "outcome" | "tokens" | "denied">,
): void {
  if (execution.type === "agent") {
    execution.outcome = outcome ?? execution.outcome;
    execution.tokens = tokens ?? execution.tokens;
    execution.denied = denied ?? [];
  }
  execution.retryAt = null;
  execution.endedAt = at;
  settle(graph, state, execution);
}
