/** How and with what a run ends. */

import type { ErrorView } from "@reprise/core/errors/errors";
import { command, slot } from "@reprise/core/errors/hint";
import type { Graph, OutputNode } from "../graph.ts";
import type { RunCommand } from "./command.ts";
import { lastValue } from "./complete.ts";
import type { EventOf, NamedValues } from "./event.ts";
import { rejection } from "./gate.ts";
import { graphIndex, nodeIndex } from "./graph-index.ts";
import { unread } from "./liveness.ts";
import { current, frameOf, iterationOf } from "./place.ts";
import { problem } from "./problem.ts";
import { retriesUsedUp } from "./retry-gate.ts";
import type { Execution, Frame, RunState } from "./state.ts";

/** The longest outputs, as JSON, that the run's last event repeats. */
const maxRepeated = 64 * 1024;

/** The end of the run, if there is nothing left to wait for. */
export function ending(graph: Graph, state: RunState, top: Frame): RunCommand | null {
  const isIdle = state.active.size === 0;
  if (state.cancelling) return isIdle ? ended("cancelled", outputsOf(graph, state), null) : null;
  if (top.failed !== null)
    return isIdle ? ended("failed", outputsOf(graph, state), errorOf(state, top)) : null;
  if (top.open > 0) return null;
  const left = unread(graph, state, top);
  const failure = left.find(({ refusal }) => refusal === "failed");
  if (failure) return ended("failed", outputsOf(graph, state), located(failure.execution));
  const [no] = left;
  if (no) return ended("rejected", outputsOf(graph, state), refusedBy(graph, state, no.execution));
  return ended("done", outputsOf(graph, state), null);
}

/** What a person or a check rejected; for a loop, in its last iteration. */
function refusedBy(graph: Graph, state: RunState, execution: Execution): ErrorView | null {
  const { node } = nodeIndex(graph, execution.node);
  const { choice, by, comment, retry_feedback } = execution.outputs;
  if (node.type === "gate") {
    const answer = { choice: String(choice), by: textOf(by), comment: textOf(comment), values: {} };
    return rejection(state, node, answer).problem;
  }
  if (node.type === "retry-gate") return retriesUsedUp(state, node, String(retry_feedback)).problem;
  const frame = iterationOf(state, execution);
  const [no] = frame ? unread(graph, state, frame) : [];
  return no ? refusedBy(graph, state, no.execution) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** No run may wait for ever. A workflow without a cycle never gets here. */
export function stuck(): RunCommand {
  const { problem: error } = problem(
    "stuck",
    "Nodes of this run wait for each other.",
    `Look for a cycle with ${command("workflow validate", slot("FILE"))}.`,
  );
  return ended("failed", {}, error);
}

function ended(
  status: EventOf<"run.ended">["status"],
  outputs: NamedValues,
  error: ErrorView | null,
): RunCommand {
  const isSmall = JSON.stringify(outputs).length <= maxRepeated;
  const event = { type: "run.ended", status, ...(isSmall && { outputs }), error } as const;
  return { do: "append", event };
}

/** The first failure, with the node's place. */
function errorOf(state: RunState, top: Frame): ErrorView | null {
  let cause: Execution | null = null;
  for (let frame: Frame | null = top; frame && frame.failed !== null; ) {
    cause = state.executions.get(frame.failed) ?? cause;
    frame = cause && iterationOf(state, cause);
  }
  return cause && located(cause);
}

function located({ id, error }: Execution): ErrorView | null {
  return error && { ...error, message: `${id} failed: ${error.message}` };
}

/** The values of the output nodes by name; without any, the outputs of the last nodes of the run. */
export function outputsOf(graph: Graph, state: RunState): NamedValues {
  const outputs = graph.nodes.filter((node) => node.type === "output");
  if (outputs.length === 0) return lastOutputs(graph, state);
  return Object.fromEntries(
    outputs.flatMap((node) => {
      const execution = lastOf(graph, state, node);
      return execution?.status === "done" ? [[node.name, resultOf(node, execution)]] : [];
    }),
  );
}

function resultOf(node: OutputNode, { outputs }: Execution): unknown {
  const values = node.inputs.map(({ name }) => [name, outputs[name] ?? null] as const);
  if (values.length > 1) return Object.fromEntries(values);
  return values.length === 1 ? values[0]?.[1] : lastValue(outputs);
}

function lastOutputs(graph: Graph, state: RunState): NamedValues {
  const top = frameOf(state, "");
  return Object.fromEntries(
    graphIndex(graph).top.flatMap(({ id }) => {
      const execution = current(state, top, id);
      const isLast = nodeIndex(graph, id).successors.length === 0;
      return isLast && execution?.status === "done" ? [[id, execution.outputs]] : [];
    }),
  );
}

/** Inside of loops, the one of the last iteration. */
function lastOf(graph: Graph, state: RunState, { id, parent }: OutputNode): Execution | undefined {
  const around: string[] = [];
  for (let loop = parent; loop !== null; loop = nodeIndex(graph, loop).node.parent)
    around.unshift(loop);
  let frame: Frame | null = frameOf(state, "");
  for (const loop of around) {
    const execution: Execution | undefined = frame ? current(state, frame, loop) : undefined;
    frame = execution ? iterationOf(state, execution) : null;
  }
  return frame ? current(state, frame, id) : undefined;
}
