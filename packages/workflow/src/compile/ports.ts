/** The ports of a node: those of its type, those that it declares, and whether it may have others. */

import type { NodeType, PortType } from "../graph.ts";
import { type DraftPort, declaredPort } from "../parse/declared-port.ts";
import type { WrittenNode } from "../parse/written.ts";
import { type Runner, runnerOutputs } from "../runners.ts";

export function port(name: string, type: PortType = "any"): DraftPort {
  return { name, type, required: null, description: null, declared: false };
}

/** The result ports of nodes that can fail, which others read under `onError: continue`. */
const ended: readonly DraftPort[] = [port("success", "boolean"), port("error")];
const agentOutputs: readonly DraftPort[] = [
  port("output", "string"),
  port("sessionId", "string"),
  port("structuredOutput", "json"),
  ...ended,
  port("exitCode", "number"),
];

const fixed: Readonly<
  Record<NodeType, { inputs: readonly DraftPort[]; outputs: readonly DraftPort[] }>
> = {
  trigger: {
    inputs: [],
    outputs: [
      port("text", "string"),
      port("params", "json"),
      port("timestamp", "string"),
      port("type", "string"),
    ],
  },
  agent: { inputs: [port("prompt"), port("sessionId")], outputs: agentOutputs },
  shell: {
    inputs: [],
    outputs: [
      port("output", "string"),
      port("stdout", "string"),
      port("stderr", "string"),
      port("feedback", "string"),
      port("exitCode", "number"),
      ...ended,
    ],
  },
  // It may return its own values under these names.
  function: { inputs: [], outputs: [port("success"), port("error")] },
  constant: { inputs: [], outputs: [port("value")] },
  branch: { inputs: [port("value")], outputs: [port("true"), port("false"), port("value")] },
  join: { inputs: [], outputs: [port("output"), port("values", "json")] },
  wire: { inputs: [port("value")], outputs: [port("value")] },
  workdir: { inputs: [], outputs: [port("path", "string"), ...ended] },
  loop: { inputs: [], outputs: [port("iterations", "number"), port("ended", "string"), ...ended] },
  "retry-gate": {
    inputs: [],
    outputs: [
      port("passed", "boolean"),
      port("retry_feedback", "string"),
      port("retry_count", "number"),
      ...ended,
    ],
  },
  gate: {
    inputs: [],
    outputs: [
      port("output"),
      port("choice", "string"),
      port("approved", "boolean"),
      port("comment", "string"),
      port("by", "string"),
      port("values", "json"),
      ...ended,
    ],
  },
  output: { inputs: [port("value")], outputs: [] },
};

/** The first version of the loader that refuses unknown ports. */
export const checkedPorts = 2;

/** Types of nodes that accepted any output name in older versions of the loader. */
const openOutputs: readonly NodeType[] = ["trigger", "agent", "function", "loop"];
const openInputs: readonly NodeType[] = [
  "agent",
  "branch",
  "shell",
  "function",
  "join",
  "workdir",
  "loop",
  "retry-gate",
  "gate",
];

/** Whether an undeclared output of the node may be read. A trigger provides every input of the run, and a
 * function without declared outputs may return anything; all other nodes declare their outputs.
 */
export function mayGetOutputs({ type, data }: WrittenNode, format: number): boolean {
  if (format < checkedPorts) return openOutputs.includes(type);
  return type === "trigger" || (type === "function" && data.outputs === undefined);
}

export function mayGetInputs(type: NodeType): boolean {
  return openInputs.includes(type);
}

/** By name; declarations in the file override those of the type. */
export function inputPorts(node: WrittenNode): Map<string, DraftPort> {
  return byName([...fixed[node.type].inputs, ...(node.data.inputs ?? []).map(declaredPort)]);
}

/** `schema` is the JSON Schema of an agent's answer. */
export function outputPorts(
  node: WrittenNode,
  schema: Readonly<Record<string, unknown>> | null,
  runners: readonly Runner[],
): Map<string, DraftPort> {
  return byName([
    ...fixed[node.type].outputs,
    ...(node.type === "constant" ? [constantPort(node.data)] : []),
    ...(node.type === "agent" ? runnerOutputs(node.data.runner, runners) : []).map((name) =>
      port(name, "json"),
    ),
    ...(node.type === "gate"
      ? (node.data.fields ?? []).map(({ name, type }) => port(name, fieldType(type)))
      : []),
    ...propertyPorts(schema),
    ...(node.data.outputs ?? []).map(declaredPort),
  ]);
}

function byName(ports: readonly DraftPort[]): Map<string, DraftPort> {
  return new Map(ports.map((item) => [item.name, item]));
}

function constantPort({ value }: { readonly value?: unknown }): DraftPort {
  const type = typeof value;
  if (type === "string" || type === "number" || type === "boolean") return port("value", type);
  return port("value", "json");
}

function fieldType(type: "string" | "number" | "boolean" | "choice" | undefined): PortType {
  return type === undefined || type === "choice" ? "string" : type;
}

/** Outputs that no answer can override. */
const ownOutputs = ["sessionId", "structuredOutput"];

function propertyPorts(schema: Readonly<Record<string, unknown>> | null): DraftPort[] {
  const properties = schema?.properties;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties)
    .filter(([name]) => !ownOutputs.includes(name))
    .map(([name, property]) => port(name, schemaType(property)));
}

function schemaType(property: unknown): PortType {
  const type = (property as { readonly type?: unknown } | null)?.type;
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return type;
    case "integer":
      return "number";
    case "object":
    case "array":
      return "json";
    default:
      return "any";
  }
}
