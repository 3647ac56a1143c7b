/** Small graphs for the tests of the validator: nodes by type, edges as `coder.output > reviewer.input`. */

import type {
  AgentNode,
  Edge,
  EdgeSource,
  EdgeTarget,
  Graph,
  GraphNode,
  NodeType,
  Port,
  PortType,
} from "../graph.ts";
import * as build from "../run/test-graph.ts";

type NodeOf<Type extends NodeType> = Extract<GraphNode, { readonly type: Type }>;

export function examplePort(name: string, type: PortType = "any", required = false): Port {
  return { name, type, required, description: null };
}

const ports: Record<NodeType, { inputs: readonly Port[]; outputs: readonly Port[] }> = {
  trigger: { inputs: [], outputs: [examplePort("text", "string")] },
  agent: {
    inputs: [examplePort("prompt"), examplePort("input"), examplePort("sessionId", "string")],
    outputs: [
      examplePort("output", "string"),
      examplePort("sessionId", "string"),
      examplePort("success", "boolean"),
    ],
  },
  shell: {
    inputs: [examplePort("input")],
    outputs: [
      examplePort("output", "string"),
      examplePort("exitCode", "number"),
      examplePort("success", "boolean"),
    ],
  },
  function: { inputs: [examplePort("input")], outputs: [examplePort("result")] },
  constant: { inputs: [], outputs: [examplePort("value")] },
  branch: {
    inputs: [examplePort("value", "any", true)],
    outputs: [examplePort("true"), examplePort("false")],
  },
  join: { inputs: [examplePort("a"), examplePort("b")], outputs: [examplePort("output")] },
  wire: { inputs: [examplePort("input")], outputs: [examplePort("output")] },
  workdir: { inputs: [], outputs: [examplePort("path", "string")] },
  loop: {
    inputs: [examplePort("task")],
    outputs: [
      examplePort("result"),
      examplePort("iterations", "number"),
      examplePort("ended", "string"),
    ],
  },
  "retry-gate": {
    inputs: [examplePort("passed", "boolean"), examplePort("feedback", "string")],
    outputs: [examplePort("passed", "boolean"), examplePort("retry_feedback", "string")],
  },
  gate: {
    inputs: [examplePort("input")],
    outputs: [examplePort("output"), examplePort("approved", "boolean")],
  },
  output: { inputs: [examplePort("value")], outputs: [] },
};

const docks = [build.dock("done", "until"), build.dock("last"), build.dock("count", "iteration")];

const simplest: { [Type in NodeType]: (id: string) => NodeOf<Type> } = {
  trigger: build.trigger,
  agent: build.agent,
  shell: build.shell,
  function: build.fn,
  constant: (id) => build.constant(id, 1),
  branch: build.branch,
  join: build.join,
  wire: build.wire,
  workdir: (id) => build.workdir(id, "."),
  loop: (id) => build.loop(id, { docks }),
  "retry-gate": (id) => build.retryGate(id, "coder", { checks: ["passed"] }),
  gate: build.gate,
  output: (id) => build.output(id, { name: "result" }),
};

export function node<Type extends NodeType>(
  type: Type,
  id: string,
  own: Partial<NodeOf<Type>> = {},
): GraphNode {
  return { ...simplest[type](id), ...ports[type], ...own };
}

export function exampleAgent(id: string, own: Partial<AgentNode> = {}): GraphNode {
  return node("agent", id, own);
}

/**
 * `a.out > b.in`, `a > b` (only waits), `(loop.task) > b.in` (its input from inside), `loop#dock > b.in`
 * (what the iteration before left), `loop# > b.in` (the iteration), `a.out > loop#dock`,
 * `a.out > (loop.result)` (its output from inside).
 */
export function edge(text: string, own: Partial<Edge> = {}): Edge {
  const [from = "", to = ""] = text.split(" > ");
  return {
    id: text,
    source: sourceOf(from),
    target: targetOf(to),
    select: null,
    back: false,
    carried: false,
    position: null,
    ...own,
  };
}

function sourceOf(text: string): EdgeSource {
  const [node = "", dock] = text.split("#");
  if (dock === "") return { from: "iteration", node };
  if (dock !== undefined) return { from: "previous", node, dock };
  const place = placeOf(text);
  return { from: text.startsWith("(") ? "loop-input" : "output", ...place };
}

function targetOf(text: string): EdgeTarget {
  const [node = "", dock] = text.split("#");
  if (dock !== undefined) return { to: "dock", node, dock };
  if (!text.includes(".")) return { to: "wait", node };
  return { to: text.startsWith("(") ? "loop-output" : "input", ...placeOf(text) };
}

function placeOf(text: string): { node: string; port: string } {
  const [node = "", port = "output"] = text.replace(/[()]/g, "").split(".");
  return { node, port };
}

/** Nodes and edges are in lines 1, 2, 3, … in that order, unless they name a line. */
export function graph(nodes: readonly GraphNode[], edges: readonly (string | Edge)[] = []): Graph {
  const line = (line: number) => ({ position: { line, column: 1 } });
  return {
    name: "Example",
    slug: "example",
    description: null,
    folder: null,
    inputs: [],
    nodes: nodes.map((each, at) => ({ ...each, ...line(at + 1) })),
    edges: edges
      .map((each) => (typeof each === "string" ? edge(each) : each))
      .map((each, at) => ({ ...each, ...line(nodes.length + at + 1) })),
    parallel: 4,
  };
}
