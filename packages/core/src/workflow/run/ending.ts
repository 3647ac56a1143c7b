/** How and with what a run ends. */

import type { ErrorView } from "../../errors/errors.ts";
import type { Graph, OutputNode } from "../graph.ts";
import type { Command } from "./command.ts";
import { lastValue } from "./complete.ts";
import type { EventOf, Values } from "./event.ts";
import { indexOf, nodeIndex } from "./graph-index.ts";
import { current, frameOf, iterationOf } from "./place.ts";
import { problem } from "./problem.ts";
import type { Execution, Frame, RunState } from "./state.ts";

/** The end, if there is nothing left to wait for. */
export function ending(graph: Graph, state: RunState, top: Frame): Command | null {
  const isIdle = state.active.size === 0;
  if (state.cancelling) return isIdle ? ended("cancelled", outputsOf(graph, state), null) : null;
  if (top.failed !== null)
    return isIdle ? ended("failed", outputsOf(graph, state), errorOf(state, top)) : null;
  return top.open === 0 ? ended("done", outputsOf(graph, state), null) : null;
}

/** No run may stand still for ever; a workflow without a cycle never comes to this. */
export function stuck(): Command {
  const { problem: error } = problem(
    "stuck",
    "Nodes of this run wait for each other.",
    "Look for a cycle with reprise workflow validate.",
  );
  return ended("failed", {}, error);
}

function ended(
  status: EventOf<"run.ended">["status"],
  outputs: Values,
  error: ErrorView | null,
): Command {
  return { do: "append", event: { type: "run.ended", status, outputs, error } };
}

/** The error of what failed first, with its place. */
function errorOf(state: RunState, top: Frame): ErrorView | null {
  let cause: Execution | null = null;
  for (let frame: Frame | null = top; frame && frame.failed !== null; ) {
    cause = state.executions.get(frame.failed) ?? cause;
    frame = cause && iterationOf(state, cause);
  }
  if (!cause?.error) return null;
  return { ...cause.error, message: `${cause.id} failed: ${cause.error.message}` };
}

/** What the output nodes got, by their names; without any, what the last nodes of the run emitted. */
function outputsOf(graph: Graph, state: RunState): Values {
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

function lastOutputs(graph: Graph, state: RunState): Values {
  const top = frameOf(state, "");
  return Object.fromEntries(
    indexOf(graph).top.flatMap(({ id }) => {
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
