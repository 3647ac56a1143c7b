/** Decides about an execution that can continue without any effect. */

import { slot, verb } from "@reprise/core/errors/hint";
import type { Graph, LoopNode, RetryGateNode } from "../graph.ts";
import type { RunCommand } from "./command.ts";
import { complete } from "./complete.ts";
import { type ExecutionId, parseExecutionId } from "./execution.ts";
import { openGate } from "./gate.ts";
import { nodeIndex } from "./graph-index.ts";
import { resolveInputs } from "./inputs.ts";
import { ofFailure } from "./liveness.ts";
import { failsAtMaximum, judgeIteration, maximumReached } from "./loop.ts";
import { frameOf, iterationOf } from "./place.ts";
import { problem, type RunProblem } from "./problem.ts";
import { readiness } from "./readiness.ts";
import { check, retriesUsedUp } from "./retry-gate.ts";
import type { Execution, Frame, RunState } from "./state.ts";

export function decideExecution(graph: Graph, state: RunState, id: ExecutionId): RunCommand {
  const place = parseExecutionId(id);
  const { node } = nodeIndex(graph, place.node);
  const frame = frameOf(state, place.frame);
  const begun = state.executions.get(id);
  if (begun && node.type === "loop") return goOn(graph, state, node, begun);
  const ready = readiness(graph, state, frame, node);
  if (ready.is === "skipped")
    return append({ type: "node.skipped", execution: id, because: ready.because });
  switch (node.type) {
    case "loop":
      return enter(graph, state, frame, node, id);
    case "retry-gate":
      return retryOrPass(graph, state, frame, node, id);
    case "gate": {
      const gate = openGate(graph, state, frame, node);
      if ("problem" in gate) return failing(id, 1, gate);
      return { do: "open-gate", execution: id, gate };
    }
    case "agent":
    case "shell":
    case "function":
    case "workdir":
      throw new Error(`${id} has an effect, so it cannot be decided.`);
    default: {
      const completed = complete(graph, state, frame, node);
      return "problem" in completed ? failing(id, 1, completed) : done(id, 1);
    }
  }
}

function enter(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: LoopNode,
  id: ExecutionId,
): RunCommand {
  const inputs = resolveInputs(graph, state, frame, node);
  if ("problem" in inputs) return failing(id, 1, inputs);
  const entry = frame.kept.get(node.id) ?? (state.entries.get(node.id) ?? 0) + 1;
  return append({ type: "loop.entered", execution: id, entry });
}

/** Its iteration has ended, has failed, or has not begun. */
function goOn(graph: Graph, state: RunState, node: LoopNode, loop: Execution): RunCommand {
  const { id, attempt } = loop;
  const frame = iterationOf(state, loop);
  if (!frame) return append({ type: "iteration.began", loop: id, iteration: 1 });
  if (frame.failed !== null) return failing(id, attempt, causeOf(state, frame));
  const judged = judgeIteration(graph, state, node, frame);
  if ("problem" in judged) return failing(id, attempt, judged);
  if (judged.next === "again")
    return append({ type: "iteration.began", loop: id, iteration: frame.iteration + 1 });
  return judged.next === "maximum" && failsAtMaximum(graph, state, node, frame)
    ? failing(id, attempt, maximumReached(node))
    : done(id, attempt);
}

/** A loop fails with the error of what failed in it. */
function causeOf(state: RunState, { failed }: Frame): RunProblem {
  const cause = failed === null ? null : state.executions.get(failed)?.error;
  return cause
    ? { problem: cause }
    : problem(
        "failed",
        "A node in it failed.",
        `See which one with ${verb("runs.show", slot("RUN"))}.`,
      );
}

function retryOrPass(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: RetryGateNode,
  id: ExecutionId,
): RunCommand {
  const checked = check(graph, state, frame, node);
  if ("problem" in checked) return failing(id, 1, checked);
  const { next, feedback } = checked;
  if (next === "retry") {
    const retry = (frame.retries.get(node.id)?.count ?? 0) + 1;
    return append({ type: "retry.begun", execution: id, retry, feedback });
  }
  return next === "maximum" && node.onMaximum === "fail"
    ? failing(id, 1, retriesUsedUp(state, node, feedback))
    : done(id, 1);
}

/** The outputs follow from the state. */
function done(execution: ExecutionId, attempt: number): RunCommand {
  return append({ type: "node.done", execution, attempt, outputs: {} });
}

export function failing(
  execution: ExecutionId,
  attempt: number,
  { problem: error }: RunProblem,
): RunCommand {
  return append({
    type: "node.failed",
    execution,
    attempt,
    error,
    outputs: {},
    retryAt: null,
  });
}

function append(event: Extract<RunCommand, { do: "append" }>["event"]): RunCommand {
  return { do: "append", event };
}

/** Whether it may make another command impossible. */
export function isExclusive(graph: Graph, command: RunCommand): boolean {
  if (command.do !== "append") return false;
  const { event } = command;
  if (event.type !== "node.failed") return false;
  const { node } = nodeIndex(graph, parseExecutionId(event.execution).node);
  return ofFailure(graph, node).is === "fail";
}
