/** The inputs of a node: the values of its edges, of its loop's inputs and docks, and its defaults. They are
 * looked up where they were produced, so no event has to repeat them.
 */

import { option } from "@reprise/core/errors/hint";
import type { Edge, Graph, GraphNode, Port } from "../graph.ts";
import type { NamedValues } from "./event.ts";
import { nodeIndex } from "./graph-index.ts";
import { isLive } from "./liveness.ts";
import { originNodes } from "./origins.ts";
import { current, frameOf, loopOf } from "./place.ts";
import { fit, select, typeName } from "./port-value.ts";
import { problem, type RunProblem } from "./problem.ts";
import type { Execution, Frame, RunState } from "./state.ts";

export interface Inputs {
  /** The value of every port; null if there is none. */
  readonly values: NamedValues;
  /** Ports whose value was influenced by other nodes. */
  readonly foreign: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

interface Fed {
  readonly value: unknown;
  readonly foreign: boolean;
}

const nothing: Fed = { value: null, foreign: false };

export function resolveInputs(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: GraphNode,
): Inputs | RunProblem {
  const { ports, inputs } = nodeIndex(graph, node.id);
  const values: [string, unknown][] = [];
  const foreign = new Set<string>();
  const warnings: string[] = [];
  for (const port of ports) {
    const fed = feed(graph, state, frame, port, inputs.get(port.name) ?? []);
    const fitted = fit(port.type, fed.value);
    if (!fitted.fits) return wrongType(node, port, fed.value);
    if (fitted.value === null && mustHave(node, port)) return missing(graph, state, node, port);
    if (fitted.warning) warnings.push(`${node.id}.${port.name}: ${fitted.warning}`);
    if (fed.foreign) foreign.add(port.name);
    values.push([port.name, fitted.value]);
  }
  return { values: Object.fromEntries(values), foreign, warnings };
}

/** A dock's value wins if it is not null; else the last value in the file that is not null. */
export function feed(
  graph: Graph,
  state: RunState,
  frame: Frame,
  port: Pick<Port, "default">,
  edges: readonly Edge[],
): Fed {
  let plain = nothing;
  let docked = nothing;
  for (const edge of edges) {
    const fed = read(graph, state, frame, edge);
    if (fed.value === null) continue;
    if (edge.source.from === "previous" || edge.source.from === "iteration" || edge.back)
      docked = fed;
    else plain = fed;
  }
  const fed = docked.value === null ? plain : docked;
  if (fed.value !== null || port.default === undefined) return fed;
  return { value: port.default, foreign: false };
}

/** The value of one edge; null if the edge is dead. */
export function read(graph: Graph, state: RunState, frame: Frame, edge: Edge): Fed {
  if (!isLive(graph, state, frame, edge)) return nothing;
  const { value = null, foreign } = emitted(graph, state, frame, edge);
  return { value: select(edge.select, value) ?? null, foreign };
}

function emitted(graph: Graph, state: RunState, frame: Frame, { source, back }: Edge): Fed {
  switch (source.from) {
    case "iteration":
      return { value: frame.iteration, foreign: false };
    case "previous":
      return { value: frame.docks[source.dock], foreign: true };
    case "loop-input":
      return fromLoop(graph, state, frame, source.port);
    case "output": {
      if (back) return { value: retried(frame, source.node, source.port), foreign: true };
      const execution = current(state, frame, source.node);
      return execution
        ? { value: outputOf(graph, execution, source.port), foreign: execution.foreign }
        : nothing;
    }
  }
}

/** Every node has result ports, whatever its outputs are. */
function outputOf(graph: Graph, { outputs, node, status, error }: Execution, port: string) {
  const given = outputs[port];
  if (given !== undefined || (port !== "success" && port !== "error")) return given;
  // A missing input of the run has no value.
  if (nodeIndex(graph, node).node.type === "trigger") return null;
  return port === "success" ? status === "done" : (error?.message ?? null);
}

/** An input of the enclosing loop. */
function fromLoop(graph: Graph, state: RunState, frame: Frame, name: string): Fed {
  const loop = loopOf(state, frame);
  if (!loop) return nothing;
  const { ports, inputs } = nodeIndex(graph, loop.node);
  const port = ports.find((one) => one.name === name);
  if (!port) return nothing;
  const fed = feed(graph, state, frameOf(state, loop.frame), port, inputs.get(name) ?? []);
  const fitted = fit(port.type, fed.value);
  return fitted.fits ? { ...fed, value: fitted.value } : nothing;
}

/** The feedback of a retry gate: nothing until it has begun a retry. */
function retried(frame: Frame, gate: string, port: string): unknown {
  const retries = frame.retries.get(gate);
  if (!retries) return null;
  return { retry_feedback: retries.feedback, retry_count: retries.count, passed: false }[port];
}

/** Other nodes pass null on; if null is the default, it is a value. */
function mustHave({ type }: GraphNode, port: Port): boolean {
  const works = type === "agent" || type === "shell" || type === "function";
  return works && port.required && port.default === undefined;
}

function missing(graph: Graph, state: RunState, node: GraphNode, port: Port): RunProblem {
  return problem(
    "missing-input",
    `Node "${node.id}" got no value on its input "${port.name}".`,
    notGiven(graph, state, node, [port.name]) ??
      "Make its source produce a value, or give the input a default.",
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** The hint if the run itself has no value for these ports; null if it has. */
export function notGiven(
  graph: Graph,
  { inputs }: RunState,
  { id }: GraphNode,
  ports: readonly string[],
): string | null {
  const names = originNodes(graph, id, ports).filter((name) => isNothing(inputs[name]));
  if (names.length === 0) return null;
  const options = names.map((name) => option(`inputs.${name}`));
  return `The run has no value for it. Start it with ${options.join(" or ")}.`;
}

function wrongType(node: GraphNode, port: Port, value: unknown): RunProblem {
  return problem(
    "wrong-type",
    `Node "${node.id}" got ${typeName(value)} on its input "${port.name}", which must be ${port.type}.`,
    "Change the type of the input, or its source.",
  );
}
