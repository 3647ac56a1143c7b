import { expect, test } from "vitest";
import { load } from "../load.ts";
import { loaded, nodeIn } from "./example.ts";

const verdict =
  "{ type: object, properties: { approved: { type: boolean }, feedback: { type: string } } }";
const file = (nodes: string, edges: string) =>
  `version: 2\nmetadata: { name: x }\nnodes:\n${nodes}edges:\n${edges}`;
const agent = (id: string, more = "") =>
  `  - { id: ${id}, type: agent, data: { nodeType: agent, label: ${id.toUpperCase()}, runner: codex, prompt: Hi${more} } }\n`;
const gate = (id: string, target: string, more = "") =>
  `  - { id: ${id}, type: retry-gate, data: { nodeType: retry-gate, retryTarget: ${target}${more} } }\n`;
const edge = (from: string, to: string) => {
  const [source, output] = from.split(".");
  const [target, input] = to.split(".");
  return `  - { source: ${source}, target: ${target}, sourceHandle: "output:${output}", targetHandle: "${input ? `input:${input}` : "wait"}" }\n`;
};
const base = agent("coder") + agent("critic", `, outputSchema: ${verdict}`);
const checks =
  edge("coder.output", "critic.input") +
  edge("critic.approved", "gate.approved") +
  edge("critic.feedback", "gate.feedback");

test("checks and feedback are distinguished by what feeds them", () => {
  const { graph } = loaded(file(base + gate("gate", "coder"), checks));
  expect(nodeIn(graph, "retry-gate", "gate")).toMatchObject({
    retryTarget: "coder",
    maxRetries: 3,
    checks: ["approved"],
    feedback: ["feedback"],
    onMaximum: null,
  });
});

test("or by the type that is declared, or by the name", () => {
  const { graph } = loaded(
    file(
      base +
        "  - { id: judge, type: function, data: { nodeType: function, code: return null } }\n" +
        gate(
          "gate",
          "coder",
          ", maxRetries: 1, onMaximum: fail, inputs: [{ name: fine, type: boolean }, { name: why, type: string }]",
        ),
      edge("coder.output", "judge.input") +
        edge("judge.verdict", "gate.fine") +
        edge("judge.reason", "gate.why") +
        edge("judge.extra", "gate.test_feedback") +
        edge("judge.more", "gate.tests"),
    ),
  );
  expect(nodeIn(graph, "retry-gate", "gate")).toMatchObject({
    maxRetries: 1,
    checks: ["fine", "tests"],
    feedback: ["why", "test_feedback"],
    onMaximum: "fail",
  });
});

test("where nothing leads back, the target gets the feedback, and keeps its session", () => {
  const { graph, edges } = loaded(file(base + gate("gate", "coder"), checks));
  expect(edges.at(-1)).toBe("gate.retry_feedback > coder.feedback back");
  expect(nodeIn(graph, "agent", "coder").session).toEqual({ name: "coder", scope: "run" });
  expect(nodeIn(graph, "agent", "coder").inputs.at(-1)).toMatchObject({
    name: "feedback",
    required: false,
  });
  expect(nodeIn(graph, "agent", "critic").session).toBeNull();
});

test("what is wired back stays as it is, by whatever port", () => {
  const { edges } = loaded(
    file(base + gate("gate", "coder"), checks + edge("gate.retry_feedback", "coder.notes")),
  );
  expect(edges.filter((line) => line.startsWith("gate"))).toEqual([
    "gate.retry_feedback > coder.notes back",
  ]);
});

test("the target may be named by its label; a session of its own stays", () => {
  const nodes = agent("coder", ", session: pair") + agent("critic", `, outputSchema: ${verdict}`);
  const { graph } = loaded(file(nodes + gate("gate", "CODER"), checks));
  expect(nodeIn(graph, "retry-gate", "gate").retryTarget).toBe("coder");
  expect(nodeIn(graph, "agent", "coder").session?.name).toBe("pair");
});

test("an edge to what lies between the target and the gate leads back; what comes after does not", () => {
  const { edges } = loaded(
    file(
      base + gate("gate", "coder") + agent("tester") + gate("last", "coder"),
      checks +
        edge("gate.retry_count", "critic.round") +
        edge("gate.passed", "tester.input") +
        edge("gate.retry_feedback", "tester.history") +
        edge("tester.success", "last.success") +
        edge("last.retry_feedback", "critic.notes"),
    ),
  );
  expect(edges.filter((line) => /^(gate|last)\./.test(line))).toEqual([
    "gate.retry_count > critic.round back",
    "gate.passed > tester.input",
    "gate.retry_feedback > tester.history",
    "last.retry_feedback > critic.notes back",
    "gate.retry_feedback > coder.feedback back",
    "last.retry_feedback > coder.feedback back",
  ]);
});

test("a gate with a retryTarget is a retry gate", () => {
  const text = file(base + gate("gate", "coder").replaceAll("retry-gate", "gate"), checks);
  const { graph, reported } = loaded(text);
  expect(reported).toContain("6 implied-node-type");
  expect(nodeIn(graph, "retry-gate", "gate").checks).toEqual(["approved"]);
});

test("a target that is not there is an error at the gate", () => {
  const { graph, findings } = load(file(base + gate("gate", "codr"), checks));
  expect(graph).toBeNull();
  expect(findings.find(({ severity }) => severity === "error")).toMatchObject({
    code: "unknown-node",
    position: { line: 6 },
    hint: 'Did you mean "coder"?',
  });
});
