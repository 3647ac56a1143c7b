/** The work of an execution, computed from the graph and the state alone. */

import { TerminalError } from "@reprise/core/errors/errors";
import type { AgentNode, Graph, GraphNode, ShellNode } from "../graph.ts";
import { asText, fillTemplate, placeValue, type TemplateValues } from "../template.ts";
import type { AgentWork, ShellWork, Work } from "./command.ts";
import { type ExecutionId, parseExecutionId } from "./execution.ts";
import { templateValues } from "./facts.ts";
import { nodeIndex } from "./graph-index.ts";
import { type Inputs, notGiven, resolveInputs } from "./inputs.ts";
import { frameOf } from "./place.ts";
import { problem, type RunProblem } from "./problem.ts";
import { agentPrompt, fillForAgent } from "./prompt.ts";
import { type Claims, sessionUse } from "./sessions.ts";
import type { Frame, RunState } from "./state.ts";

interface Wanted {
  readonly execution: ExecutionId;
  readonly attempt: number;
  readonly claims: Claims;
}

/** The work of an execution that had already started. */
export function workOf(graph: Graph, state: RunState, execution: ExecutionId): Work {
  const attempt = state.executions.get(execution)?.attempt ?? 1;
  const work = prepare(graph, state, { execution, attempt, claims: new Map() });
  if (!("problem" in work)) return work;
  const { code, message, hint } = work.problem;
  throw new TerminalError(code, message, hint);
}

export function prepare(graph: Graph, state: RunState, wanted: Wanted): Work | RunProblem {
  const place = parseExecutionId(wanted.execution);
  const frame = frameOf(state, place.frame);
  const { node } = nodeIndex(graph, place.node);
  const inputs = resolveInputs(graph, state, frame, node);
  if ("problem" in inputs) return inputs;
  const values = templateValues(state, frame, inputs);
  switch (node.type) {
    case "agent":
      return agentWork({ graph, state, frame, node, inputs, values }, wanted);
    case "shell":
      return shellWork(node, inputs, values);
    case "function":
      return { type: "function", node, inputs: inputs.values };
    case "workdir":
      return { type: "workdir", node, path: fillTemplate(node.path, values) };
    default:
      return noWork(node);
  }
}

interface AgentPlace {
  readonly graph: Graph;
  readonly state: RunState;
  readonly frame: Frame;
  readonly node: AgentNode;
  readonly inputs: Inputs;
  readonly values: TemplateValues;
}

function agentWork(
  place: AgentPlace,
  { execution, attempt, claims }: Wanted,
): AgentWork | RunProblem {
  const { state, node, inputs, values } = place;
  const prompt = agentPrompt(node, inputs, values);
  if (prompt === null) return noPrompt(place);
  const known = state.executions.get(execution);
  const before = known?.type === "agent" ? known : undefined;
  const session = sessionUse({ ...place, execution: before, attempt, claims });
  if ("problem" in session) return session;
  return {
    type: "agent",
    node,
    inputs: inputs.values,
    prompt,
    folder: node.folder && fillTemplate(node.folder, values),
    instructions: node.instructions && fillForAgent(node.instructions, inputs, values),
    session,
    reads: readOutputs(place),
  };
}

function readOutputs({ graph, node }: AgentPlace): string[] {
  const ports = graph.edges.flatMap(({ source }) =>
    source.from === "output" && source.node === node.id ? [source.port] : [],
  );
  return [...new Set(ports)];
}

/** The shell reads the values from its environment, so nothing in them can become part of the script. */
function shellWork(node: ShellNode, inputs: Inputs, values: TemplateValues): ShellWork {
  const env: Record<string, string> = {};
  for (const [name, template] of Object.entries(node.env))
    env[name] = fillTemplate(template, values);
  let count = 0;
  const script = node.script.parts.map((part) => {
    if (typeof part === "string") return part;
    count += 1;
    env[`REPRISE_VALUE_${count}`] = asText(placeValue(part, values));
    return `\${REPRISE_VALUE_${count}}`;
  });
  return {
    type: "shell",
    node,
    inputs: inputs.values,
    script: script.join(""),
    env,
    folder: node.folder && fillTemplate(node.folder, values),
  };
}

function noPrompt({ graph, state, node }: AgentPlace): RunProblem {
  const { ports } = nodeIndex(graph, node.id);
  const names = ports.map(({ name }) => name);
  return problem(
    "missing-input",
    `Node "${node.id}" got no value on its input "prompt", and has no prompt of its own.`,
    notGiven(graph, state, node, names) ?? "Give the node a prompt, or wire one to it.",
  );
}

function noWork({ id, type }: GraphNode): RunProblem {
  return problem(
    "no-work",
    `Node "${id}" is a ${type}: it has no work.`,
    "This is a bug in Reprise. Please report it.",
  );
}
