/** Builds graphs for tests, with as few words as a test needs. */

import type {
  AgentNode,
  BranchNode,
  ConstantNode,
  Dock,
  Edge,
  EdgeSource,
  EdgeTarget,
  FunctionNode,
  GateNode,
  Graph,
  GraphNode,
  JoinNode,
  LoopNode,
  OutputNode,
  Port,
  RetryGateNode,
  ShellNode,
  TriggerNode,
  WireNode,
  WorkdirNode,
} from "../graph.ts";
import { parseTemplate } from "../template.ts";

export function graphOf(
  nodes: readonly GraphNode[],
  edges: readonly Edge[] = [],
  { parallel = 4, slug = "flow" } = {},
): Graph {
  const numbered = edges.map((edge, at) => ({ ...edge, id: `e${at + 1}` }));
  return {
    name: slug,
    slug,
    description: null,
    folder: null,
    inputs: [],
    nodes,
    edges: numbered,
    parallel,
  };
}

export function testPort(name: string, more: Partial<Port> = {}): Port {
  return { name, type: "any", required: false, description: null, ...more };
}

type More<Node extends GraphNode> = Partial<Omit<Node, "type" | "id">>;

function node<Type extends GraphNode["type"]>(type: Type, id: string) {
  return {
    type,
    id,
    label: id,
    parent: null,
    inputs: [],
    outputs: [],
    timeout: null,
    retry: null,
    onError: null,
    position: null,
  } as const;
}

export function trigger(id = "trigger", more: More<TriggerNode> = {}): TriggerNode {
  return { ...node("trigger", id), triggerType: "manual", ...more };
}

export function agent(id: string, more: More<AgentNode> = {}): AgentNode {
  return {
    ...node("agent", id),
    provider: "scripted",
    agentClass: null,
    agentId: null,
    mode: null,
    session: null,
    fork: null,
    adopt: false,
    prompt: parseTemplate(`do ${id}`),
    outputSchema: null,
    model: null,
    folder: null,
    instructions: null,
    settings: {},
    budget: null,
    busy: null,
    access: null,
    onDenied: null,
    onInterrupted: "continue",
    ...more,
  };
}

export function shell(id: string, script = "true", more: More<ShellNode> = {}): ShellNode {
  return {
    ...node("shell", id),
    script: parseTemplate(script),
    folder: null,
    env: {},
    onInterrupted: "fail",
    ...more,
  };
}

export function fn(id: string, more: More<FunctionNode> = {}): FunctionNode {
  return { ...node("function", id), code: "return {}", onInterrupted: "rerun", ...more };
}

export function constant(id: string, value: unknown, more: More<ConstantNode> = {}): ConstantNode {
  return { ...node("constant", id), value, ...more };
}

export function branch(id: string, more: More<BranchNode> = {}): BranchNode {
  const inputs = [testPort("value", { required: true })];
  return { ...node("branch", id), inputs, when: { test: "true" }, ...more };
}

export function join(id: string, more: More<JoinNode> = {}): JoinNode {
  return { ...node("join", id), wait: "all", ...more };
}

export function wire(id: string, more: More<WireNode> = {}): WireNode {
  return { ...node("wire", id), ...more };
}

export function workdir(id: string, path: string, more: More<WorkdirNode> = {}): WorkdirNode {
  return { ...node("workdir", id), path: parseTemplate(path), create: true, ...more };
}

export function loop(id: string, more: More<LoopNode> = {}): LoopNode {
  return { ...node("loop", id), maxIterations: 10, docks: [], onMaximum: "done", ...more };
}

export function dock(name: string, type: Dock["type"] = "feedback", keyed = false): Dock {
  return { name, type, keyed };
}

export function retryGate(
  id: string,
  retryTarget: string,
  more: More<RetryGateNode> = {},
): RetryGateNode {
  return {
    ...node("retry-gate", id),
    retryTarget,
    maxRetries: 2,
    checks: ["ok"],
    feedback: ["feedback"],
    onMaximum: null,
    ...more,
  };
}

export function gate(id: string, more: More<GateNode> = {}): GateNode {
  return {
    ...node("gate", id),
    kind: "approval",
    title: parseTemplate(`May ${id} continue?`),
    message: null,
    choices: ["approve", "reject"],
    fields: [],
    answerers: [],
    passphrase: null,
    deadline: null,
    onDeadline: "fail",
    onReject: "skip",
    ...more,
  };
}

export function output(id: string, more: More<OutputNode> = {}): OutputNode {
  return { ...node("output", id), inputs: [testPort("value")], name: id, ...more };
}

function edge(source: EdgeSource, target: EdgeTarget, more: Partial<Edge> = {}): Edge {
  return {
    id: "",
    source,
    target,
    select: null,
    back: false,
    carried: false,
    position: null,
    ...more,
  };
}

/** `coder.output`: the node before the first dot, the name after it. */
function split(text: string): { node: string; name: string } {
  const cut = text.indexOf(".");
  return { node: text.slice(0, cut), name: text.slice(cut + 1) };
}

function from(text: string): EdgeSource {
  const { node: id, name } = split(text);
  return { from: "output", node: id, port: name };
}

function to(text: string): EdgeTarget {
  const { node: id, name } = split(text);
  return { to: "input", node: id, port: name };
}

export function flow(source: string, target: string): Edge {
  return edge(from(source), to(target));
}

/** The target waits for the source, or for one outcome of it. */
export function after(source: string, target: string): Edge {
  return edge(from(source.includes(".") ? source : `${source}.output`), {
    to: "wait",
    node: target,
  });
}

export function back(source: string, target: string): Edge {
  return edge(from(source), to(target), { back: true });
}

/** From an input of a loop to a node in it. */
export function inward(source: string, target: string): Edge {
  const { node: id, name } = split(source);
  return edge({ from: "loop-input", node: id, port: name }, to(target));
}

export function iteration(loopId: string, target: string): Edge {
  return edge({ from: "iteration", node: loopId }, to(target));
}

export function previous(source: string, target: string, select: Edge["select"] = null): Edge {
  const { node: id, name } = split(source);
  return edge({ from: "previous", node: id, dock: name }, to(target), { select });
}

export function intoDock(source: string, target: string): Edge {
  const { node: id, name } = split(target);
  return edge(from(source), { to: "dock", node: id, dock: name });
}

/** From a node in a loop to an output of the loop. */
export function outward(source: string, target: string): Edge {
  const { node: id, name } = split(target);
  return edge(from(source), { to: "loop-output", node: id, port: name });
}
