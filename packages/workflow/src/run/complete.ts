/** The result of a node without an effect. `advance` asks whether it succeeds, and `apply` computes the same
 * outputs from the state again, so its `node.done` repeats nothing from earlier events.
 */

import type { BranchNode, Graph, GraphNode, JoinNode, OutputNode, WireNode } from "../graph.ts";
import type { NamedValues } from "./event.ts";
import { type Inputs, resolveInputs } from "./inputs.ts";
import { fit, typeName } from "./port-value.ts";
import { problem, type RunProblem } from "./problem.ts";
import type { Frame, RunState } from "./state.ts";

export interface Completed {
  readonly outputs: NamedValues;
  /** Whether other nodes influenced them. */
  readonly foreign: boolean;
  readonly warnings: readonly string[];
}

export type SimpleNode = Extract<
  GraphNode,
  { type: "trigger" | "constant" | "branch" | "join" | "wire" | "output" }
>;

export function complete(
  graph: Graph,
  state: RunState,
  frame: Frame,
  node: SimpleNode,
): Completed | RunProblem {
  if (node.type === "trigger") return own(triggered(state, node.triggerType));
  if (node.type === "constant") return own(constant(node.outputs, node.value));
  const inputs = resolveInputs(graph, state, frame, node);
  if ("problem" in inputs) return inputs;
  if (node.type === "branch") return branch(node, inputs);
  const outputs =
    node.type === "join" ? joined(node, inputs.values) : passedOn(node, inputs.values);
  return { outputs, foreign: inputs.foreign.size > 0, warnings: inputs.warnings };
}

function own(outputs: NamedValues): Completed {
  return { outputs, foreign: false, warnings: [] };
}

function triggered({ inputs, startedAt }: RunState, type: string): NamedValues {
  const texts = Object.values(inputs).filter((value) => typeof value === "string");
  return {
    text: texts.length === 1 ? texts[0] : "",
    params: inputs,
    timestamp: new Date(startedAt).toISOString(),
    type,
    ...inputs,
  };
}

function constant(ports: GraphNode["outputs"], value: unknown): NamedValues {
  return Object.fromEntries(["value", "output", ...names(ports)].map((name) => [name, value]));
}

/** Every input under its name; an output of another name carries the last that is not null. */
function passedOn({ outputs }: WireNode | OutputNode | JoinNode, inputs: NamedValues): NamedValues {
  const last = lastValue(inputs);
  const others = ["output", ...names(outputs)].filter((name) => !Object.hasOwn(inputs, name));
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, last])) };
}

/** `values` has everything that arrived, by port; `output` has one of them. */
function joined(node: JoinNode, inputs: NamedValues): NamedValues {
  const came = Object.entries(inputs).filter(([, value]) => value !== null);
  const output = inputs.output ?? lastValue(inputs);
  return { ...passedOn(node, inputs), output, values: Object.fromEntries(came) };
}

export function lastValue(values: NamedValues): unknown {
  return Object.values(values).findLast((value) => value !== null) ?? null;
}

function names(ports: GraphNode["outputs"]): string[] {
  return ports.map(({ name }) => name);
}

/** The outcome that was not taken is not an output, and what depends on it is skipped. */
function branch(node: BranchNode, { values, foreign, warnings }: Inputs): Completed | RunProblem {
  const value = values.value ?? null;
  const taken = node.when.test === "equals" ? isEqual(node.when.value, value) : null;
  const fitted = fit("boolean", taken ?? value);
  if (!fitted.fits || fitted.value === null)
    return problem(
      "bad-condition",
      `Branch "${node.id}" got ${typeName(value)} on its input "value", which must be true or false.`,
      "Wire a boolean to it, or compare it with equals.",
    );
  const warned = fitted.warning ? [`${node.id}.value: ${fitted.warning}`] : [];
  const carried = values.input ?? value;
  return {
    outputs: { value, [String(fitted.value)]: carried },
    foreign: foreign.size > 0,
    warnings: [...warnings, ...warned],
  };
}

/** Equal as JSON; the order of an object's fields does not count. */
function isEqual(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
