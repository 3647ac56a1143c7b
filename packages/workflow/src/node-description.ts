/** Describes a node in a few words. */

import type { AgentNode, GraphNode, SessionName } from "./graph.ts";

export function describeNode(node: GraphNode): string {
  switch (node.type) {
    case "trigger":
      return `trigger, ${node.triggerType}`;
    case "agent":
      return ["agent", ...agentWords(node)].join(", ");
    case "branch":
      return node.when.test === "true"
        ? "branch"
        : `branch, equals ${JSON.stringify(node.when.value)}`;
    case "join":
      return node.wait === "any" ? "join, the first" : "join";
    case "loop":
      return ["loop", ...conditions(node), `at most ${times(node.maxIterations)}`].join(", ");
    case "retry-gate":
      return `retry gate, ${node.retryTarget} again at most ${times(node.maxRetries)}`;
    case "gate":
      return `${node.kind === "form" ? "form" : "approval"}, ${node.choices.join(" or ")}`;
    case "output":
      return node.name === node.id ? "output" : `output ${node.name}`;
    case "constant":
    case "shell":
    case "function":
    case "wire":
    case "workdir":
      return node.type;
  }
}

function agentWords(node: AgentNode): string[] {
  const { provider, agentClass, agentId, mode, model, access, session, fork } = node;
  return [
    ...(agentId !== null ? [`of ${agentId}`] : []),
    ...(agentClass !== null ? [`class ${agentClass}`] : []),
    ...(provider !== null ? [provider] : []),
    ...(model !== null ? [model] : []),
    ...(access !== null ? [`access ${access}`] : []),
    ...(mode !== null ? [mode] : []),
    ...(session !== null ? [`session ${named(session)}`] : []),
    ...(fork !== null ? [`fork of ${named(fork)}`] : []),
  ];
}

function named({ name, scope }: SessionName): string {
  return scope === "run" ? name : `${name} of the ${scope}`;
}

function conditions({ docks }: Extract<GraphNode, { type: "loop" }>): string[] {
  return docks
    .filter(({ type }) => type === "continue" || type === "until")
    .map(({ name, type }) => (name === type ? type : `${type} ${name}`));
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
