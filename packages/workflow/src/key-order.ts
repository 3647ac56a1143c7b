/** The order of the keys in each part of a formatted workflow file. */

/** Other keys keep their order, at the asterisk. */
export type KeyOrder = readonly string[];

const end = [
  "timeout",
  "retry",
  "onError",
  "continueOnFailure",
  "onInterrupted",
  "busy",
  "onDenied",
];

const agentKeys = [
  "runner",
  "agentClass",
  "agent_class",
  "agentId",
  "agent_id",
  "mode",
  "session_type",
  "session",
  "fork",
  "adopt",
  "resumable",
  "model",
  "access",
  "folder",
  "cwd",
  "settings",
  "budget",
  "instructions",
];

const gateKeys = [
  "kind",
  "title",
  "message",
  "choices",
  "fields",
  "answerers",
  "passphrase",
  "deadline",
  "onDeadline",
  "onReject",
];

export const keyOrders = {
  long: [
    "version",
    "metadata",
    "interface",
    "inputs",
    "parallel",
    "legacyPersistentResumes",
    "components",
    "*",
    "nodes",
    "edges",
  ],
  short: [
    "version",
    "name",
    "description",
    "folder",
    "inputs",
    "parallel",
    "legacyPersistentResumes",
    "*",
    "steps",
    "outputs",
  ],
  metadata: ["name", "description", "rootDirectory", "*"],
  interface: ["inputs", "outputs", "*"],
  node: ["id", "type", "parentId", "position", "style", "*", "data"],
  data: [
    "label",
    "nodeType",
    "triggerType",
    ...agentKeys,
    "maxIterations",
    "onMaximum",
    "dockSlots",
    "retryTarget",
    "maxRetries",
    ...gateKeys,
    "name",
    "wait",
    "value",
    "valueType",
    "equals",
    "path",
    "create",
    "env",
    "script",
    "commands",
    "code",
    "prompt",
    "outputSchema",
    "inputs",
    "outputs",
    "*",
    ...end,
  ],
  port: ["name", "type", "required", "default", "description", "*"],
  dock: ["name", "type", "strict", "*"],
  field: ["name", "label", "type", "choices", "required", "default", "*"],
  edge: ["id", "source", "sourceHandle", "target", "targetHandle", "*"],
  step: [
    "label",
    "needs",
    "inputs",
    "agent",
    "shell",
    "function",
    "gate",
    "branch",
    "join",
    "retry-gate",
    "constant",
    "workdir",
    ...agentKeys,
    "env",
    "prompt",
    "outputSchema",
    "returns",
    "*",
    ...end,
    // Long values come last.
    "loop",
  ],
  gate: [...gateKeys, "*"],
  retryGate: ["target", "checks", "feedback", "max", "onMaximum", "*"],
  loop: ["until", "continue", "max", "onMaximum", "outputs", "*", "steps"],
  session: ["name", "scope", "*"],
} satisfies Record<string, KeyOrder>;

/** Sorts in place; the sort is stable, so unknown keys keep their order. */
export function sortKeys<Item>(
  items: Item[],
  order: KeyOrder,
  keyOf: (item: Item) => string,
): void {
  const others = order.indexOf("*");
  const rank = (item: Item) => {
    const known = order.indexOf(keyOf(item));
    return known < 0 ? others : known;
  };
  items.sort((left, right) => rank(left) - rank(right));
}
