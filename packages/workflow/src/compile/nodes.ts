/** The nodes of the graph, once every port and edge is known. */

import { isNamedInput } from "../document/agent-inputs.ts";
import type { GraphNode, NodeType, Port, RetryGateNode } from "../graph.ts";
import type { DraftPort } from "../parse/declared-port.ts";
import { envField } from "../parse/node-texts.ts";
import { agentParts } from "./agent.ts";
import { milliseconds, onErrorOf, retryOf } from "./common.ts";
import type { Draft, DraftNode } from "./draft.ts";
import { gateParts } from "./gate.ts";

/** The fields that only this type of node has. */
export type TypeFields<Node extends GraphNode> = Omit<
  Node,
  | "type"
  | "id"
  | "label"
  | "parent"
  | "inputs"
  | "outputs"
  | "timeout"
  | "retry"
  | "onError"
  | "position"
>;

type RetryWiring = ReadonlyMap<string, Pick<RetryGateNode, "retryTarget" | "checks" | "feedback">>;

interface Facts {
  readonly draft: Draft;
  readonly retryGates: RetryWiring;
}

export function graphNodes(draft: Draft, retryGates: RetryWiring): GraphNode[] {
  const facts = { draft, retryGates };
  const feeding = feedingOf(draft);
  return [...draft.nodes.values()].map((node) => {
    const { written, id, parent, position } = node;
    const fed = (port: DraftPort) => feeding.get(`${id} ${port.name}`);
    return {
      type: written.type,
      id,
      label: written.data.label ?? id,
      parent,
      inputs: [...node.inputs.values()].map((port) => inputPort(written.type, port, fed(port))),
      outputs: outputsOf(node).map((port) => outputPort(written.type, port)),
      timeout: milliseconds(written.data.timeout),
      retry: retryOf(written.data),
      onError: onErrorOf(written.data),
      position,
      ...ownParts(node, facts),
    } as GraphNode;
  });
}

/** The source of an input: a node, which may be skipped; an input of the enclosing loop, which is always
 * there; or a dock or a retry gate, which are empty at first.
 */
type Feeding = "node" | "loop" | "dock";

function feedingOf({ edges }: Draft): Map<string, Feeding> {
  const feeding = new Map<string, Feeding>();
  for (const { source, target, back } of edges) {
    if (target.to !== "input") continue;
    const key = `${target.node} ${target.port}`;
    if (back || source.from === "previous" || source.from === "iteration") feeding.set(key, "dock");
    else if (feeding.get(key) !== "dock")
      feeding.set(key, source.from === "loop-input" ? "loop" : "node");
  }
  return feeding;
}

/** A node is skipped if a wired input is missing. An input may be null if it comes from a dock, is not
 * declared, or is optional for an agent.
 */
function inputPort(type: NodeType, port: DraftPort, fed: Feeding | undefined): Port {
  const base = plain(port);
  if (port.required !== null) return { ...base, required: port.required };
  if (fed === undefined || fed === "dock") return { ...base, required: false };
  const takesNull = !port.declared || (type === "agent" && isNamedInput(port.name));
  if (takesNull && fed === "loop") return { ...base, required: false };
  return { ...(takesNull ? { default: null } : {}), ...base, required: true };
}

/** A function must return the outputs that it declares, except those of type any; all other nodes may leave outputs empty. */
function outputPort(type: NodeType, port: DraftPort): Port {
  const isPromised = type === "function" && port.declared;
  return { ...plain(port), required: isPromised && (port.required ?? port.type !== "any") };
}

function plain(port: DraftPort): Omit<Port, "required"> {
  const { name, type, description } = port;
  return { name, type, description, ...("default" in port ? { default: port.default } : {}) };
}

/** A join passes each input on under its own name. */
function outputsOf({ written, inputs, outputs }: DraftNode): DraftPort[] {
  const joined = written.type === "join" ? [...inputs].filter(([name]) => !outputs.has(name)) : [];
  return [...outputs.values(), ...joined.map(([, port]) => port)];
}

function ownParts(node: DraftNode, { draft, retryGates }: Facts): object {
  const { written, templates, id } = node;
  const text = (field: string) => templates.get(field) ?? null;
  switch (written.type) {
    case "trigger":
      return { triggerType: written.data.triggerType ?? "manual" };
    case "agent":
      return agentParts(draft, node, written.data);
    case "shell":
      return {
        script: text("script"),
        folder: text("folder"),
        env: Object.fromEntries(
          Object.keys(written.data.env ?? {}).map((name) => [name, text(envField(name))]),
        ),
        onInterrupted: written.data.onInterrupted ?? "fail",
      };
    case "function":
      return { code: written.data.code, onInterrupted: written.data.onInterrupted ?? "rerun" };
    case "constant":
      return { value: written.data.value ?? null };
    case "branch":
      return {
        when:
          "equals" in written.data
            ? { test: "equals", value: written.data.equals }
            : { test: "true" },
      };
    case "join":
      return { wait: written.data.wait ?? "all" };
    case "wire":
      return {};
    case "workdir":
      return { path: text("path"), create: written.data.create ?? false };
    case "loop":
      return {
        maxIterations: written.data.maxIterations ?? 10,
        docks: [...node.docks.values()],
        onMaximum: written.data.onMaximum ?? null,
      };
    case "retry-gate":
      return {
        ...retryGates.get(id),
        maxRetries: written.data.maxRetries ?? 3,
        onMaximum: written.data.onMaximum ?? null,
      };
    case "gate":
      return gateParts(node, written.data);
    case "output":
      return { name: written.data.name ?? id };
  }
}
