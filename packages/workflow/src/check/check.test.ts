import { expect, test } from "vitest";
import { FindingReport } from "../findings.ts";
import type { Graph, GraphNode } from "../graph.ts";
import { checkGraph } from "./check.ts";
import { edge, exampleAgent, examplePort, graph, node } from "./example.ts";

/** In the order of the file. */
const validate = (given: Graph) => {
  const report = new FindingReport();
  for (const finding of checkGraph(given)) report.add(finding);
  return report.findings();
};

/** `line severity code`, as short as it can be compared. */
const codes = (given: Graph) =>
  validate(given).map(
    ({ position, severity, code }) => `${position?.line ?? "-"} ${severity} ${code}`,
  );
const only = (given: Graph) => {
  const findings = validate(given);
  expect(findings.map(({ code }) => code)).toHaveLength(1);
  return findings[0]!;
};

const loop = (id = "loop", own = {}) => node("loop", id, own);
const inside = (id: string) => ({ parent: id });

/** A coder in a loop that ends when its check is done; four nodes and four edges. */
const reviewLoop = (): [GraphNode[], string[]] => [
  [
    node("trigger", "start"),
    loop(),
    exampleAgent("coder", inside("loop")),
    node("shell", "check", inside("loop")),
  ],
  [
    "start.text > loop.task",
    "(loop.task) > coder.prompt",
    "coder.output > check.input",
    "check.success > loop#done",
  ],
];

test("a loop with a condition is in order", () => {
  expect(validate(graph(...reviewLoop()))).toEqual([]);
});

test("every finding has a sentence, a hint and a place", () => {
  const findings = validate(
    graph(
      [exampleAgent("a", { provider: null }), loop(), node("retry-gate", "g"), node("join", "j")],
      ["a.output > j.a"],
    ),
  );
  expect(findings.length).toBeGreaterThan(5);
  for (const { message, hint, position } of findings) {
    expect(message).toMatch(/^[A-Z].*\.$/);
    expect(hint).toMatch(/^[A-Z].*[.?]$/);
    expect(position).not.toBeNull();
  }
  const lines = findings.map(({ position }) => position!.line);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
});

test.each([
  ["shell.exitCode > agent.sessionId", "error wrong-type"],
  ["shell.output > gate.passed", "warning text-as-boolean"],
  ["shell.exitCode > gate.passed", "error wrong-type"],
  ["shell.success > gate.passed", null],
  ["fn.result > gate.passed", null],
])("the type of %s: %s", (text, expected) => {
  const nodes = [node("shell", "shell"), node("function", "fn"), exampleAgent("agent")];
  const gate = node("retry-gate", "gate", { retryTarget: "shell" });
  const found = codes(
    graph([...nodes, gate], ["shell.output > gate.feedback", "shell.success > gate.passed", text]),
  );
  expect(found).toEqual(expected === null ? [] : [`7 ${expected}`]);
});

test("a condition that is not a boolean", () => {
  const [nodes, edges] = reviewLoop();
  const wired = (text: string) => codes(graph(nodes, [...edges.slice(0, -1), text]));
  expect(wired("check.output > loop#done")).toEqual(["8 warning text-as-boolean"]);
  expect(wired("check.exitCode > loop#done")).toEqual(["8 error wrong-type"]);
  expect(wired("loop# > loop#done")).toEqual(["8 error wrong-type"]);
});

test("a loop whose condition is not wired, or that has none, or two", () => {
  const [nodes, edges] = reviewLoop();
  expect(only(graph(nodes, edges.slice(0, -1)))).toMatchObject({
    severity: "error",
    code: "unwired-condition",
    position: { line: 2 },
  });
  const [start, , ...rest] = nodes;
  const docked = (...types: ("continue" | "until")[]) =>
    loop("loop", { docks: types.map((type) => ({ name: type, type, keyed: false })) });
  const without = graph([start!, docked(), ...rest], edges.slice(0, -1));
  expect(codes(without)).toEqual(["2 warning endless-loop"]);
  const two = graph([start!, docked("continue", "until"), ...rest], edges.slice(0, -1));
  expect(codes(two)).toEqual(["2 error several-conditions"]);
});

test.each([
  ["until", false, 1],
  ["until", true, 0],
  ["continue", true, 1],
  ["continue", false, 0],
] as const)("a loop that continues %s a constant %s", (type, value, count) => {
  const nodes = [
    loop("loop", { docks: [{ name: "end", type, keyed: false }] }),
    node("constant", "c", { value, ...inside("loop") }),
  ];
  const found = codes(graph(nodes, ["c.value > loop#end"]));
  expect(found).toEqual(Array(count).fill("3 warning endless-loop"));
});

test("a dock that is read and never written, and a loop without nodes", () => {
  const [nodes, edges] = reviewLoop();
  expect(codes(graph(nodes, [...edges, "loop#last > check.input"]))).toEqual([
    "2 warning unwired-dock",
  ]);
  expect(codes(graph([loop("empty", { docks: [] })]))).toEqual([
    "1 warning empty-loop",
    "1 warning endless-loop",
  ]);
});

test("a cycle is named, and what lies behind it is not", () => {
  const nodes = ["a", "b", "c", "d"].map((id) => exampleAgent(id));
  const finding = only(
    graph(nodes, ["a.output > b.input", "b.output > c.input", "c > a", "c > d"]),
  );
  expect(finding).toMatchObject({
    severity: "error",
    code: "cycle",
    message: "These nodes wait for each other: a → b → c → a.",
    position: { line: 7 },
  });
});

test("two cycles, one behind the other, and a node that waits for itself", () => {
  const nodes = ["a", "b", "c", "d", "e"].map((id) => exampleAgent(id));
  const found = validate(graph(nodes, ["a > b", "b > a", "b > c", "c > d", "d > c", "e > e"]));
  expect(found.map(({ message }) => message.replace(/^.*: /, ""))).toEqual([
    "a → b → a.",
    "c → d → c.",
    "e → e.",
  ]);
});

test("a retry gate's way back is not a cycle", () => {
  const nodes = [exampleAgent("coder"), node("shell", "check"), node("retry-gate", "gate")];
  const back = edge("gate.retry_feedback > coder.input", { back: true });
  const edges = ["coder > check", "check.success > gate.passed", back];
  expect(validate(graph(nodes, edges))).toEqual([]);
});

test("nodes that no trigger leads to", () => {
  const nodes = [
    node("trigger", "start"),
    exampleAgent("a"),
    exampleAgent("lonely"),
    exampleAgent("behind"),
    node("constant", "c"),
    node("wire", "w"),
  ];
  const edges = ["start.text > a.prompt", "lonely > behind", "c.value > w.input"];
  expect(only(graph(nodes, edges))).toMatchObject({
    severity: "warning",
    code: "unreachable-node",
    position: { line: 3 },
  });
  // Without a trigger everything that waits for nothing is a beginning.
  expect(validate(graph([exampleAgent("a"), exampleAgent("b")]))).toEqual([]);
});

test("a node that needs both outcomes of a branch never runs", () => {
  const nodes = [
    node("constant", "c"),
    node("branch", "b"),
    exampleAgent("yes"),
    exampleAgent("no"),
  ];
  const edges = ["c.value > b.value", "b.true > yes", "b.false > no"];
  const both = (after: GraphNode, ...more: string[]) =>
    codes(
      graph([...nodes, after, exampleAgent("last")], [...edges, ...more, `${after.id} > last`]),
    );
  expect(both(exampleAgent("after"), "yes > after", "no > after")).toEqual([
    "5 warning never-runs",
  ]);
  expect(both(exampleAgent("after"), "yes.output > after.input", "no > after")).toEqual([
    "5 warning never-runs",
  ]);
  expect(both(node("join", "after"), "yes.output > after.a", "no.output > after.b")).toEqual([]);
  const needing = exampleAgent("after", { inputs: [examplePort("x", "any", true)] });
  expect(both(needing, "yes.output > after.x", "no > after")).toEqual(["5 warning never-runs"]);
  expect(both(needing, "yes.output > after.x", "no.output > after.x")).toEqual([
    "5 warning never-runs",
  ]);
});

test("an input that a node cannot do without", () => {
  const needing = (more: object) =>
    graph([exampleAgent("a", { inputs: [{ ...examplePort("x", "any", true), ...more }] })]);
  expect(codes(needing({}))).toEqual(["1 error unwired-input"]);
  expect(codes(needing({ default: 1 }))).toEqual([]);
  expect(codes(needing({ required: false }))).toEqual([]);
});

test.each([
  [
    { mode: "inherit_resume", agentId: "x", session: { name: "s", scope: "run" } },
    "resume-excludes",
  ],
  [
    { mode: "inherit_resume", agentId: "x", fork: { name: "s", scope: "workflow" } },
    "resume-excludes",
  ],
  [{ mode: "inherit_resume", agentId: "x", folder: { parts: ["."] } }, "resume-excludes"],
  [{ mode: "inherit_resume", agentId: "x" }, null],
  [{ mode: "inherit_resume" }, "no-agent"],
  [{ mode: "inherit_fresh" }, "no-agent"],
  [{ mode: "inherit_fresh", agentId: "x", folder: { parts: ["."] } }, null],
  [{ mode: "ephemeral", provider: null }, "no-agent"],
  [{ mode: null, provider: null }, "no-agent"],
  [{ mode: "ephemeral", provider: null, agentId: "x" }, "no-agent"],
  [{ mode: "ephemeral", provider: null, agentClass: "c" }, null],
  [{ prompt: null }, "no-prompt"],
  [{ fork: { name: "s", scope: "run" } }, "unknown-session"],
  [{ fork: { name: "s", scope: "workflow" } }, null],
  [{ fork: { name: "s", scope: "run" }, session: { name: "s", scope: "run" } }, "fork-of-itself"],
] as const)("the agent node %j: %s", (own, code) => {
  expect(codes(graph([exampleAgent("a", own)]))).toEqual(code === null ? [] : [`1 error ${code}`]);
});

test("an agent that is named and not used is a warning", () => {
  expect(codes(graph([exampleAgent("a", { agentId: "x" })]))).toEqual(["1 warning agent-unused"]);
});

test.each([
  [{ choices: ["yes", "yes"] }, "duplicate-choice"],
  [{ onDeadline: { choice: "rejct" }, deadline: 1 }, "unknown-choice"],
  [{ onDeadline: { choice: "reject" }, deadline: 1 }, null],
])("the gate %j: %s", (own, code) => {
  expect(codes(graph([node("gate", "g", own)]))).toEqual(code === null ? [] : [`1 error ${code}`]);
});

test("a gate's fields and its deadline", () => {
  const field = (name: string, type: "string" | "choice") => ({
    name,
    label: name,
    type,
    choices: [],
    required: false,
  });
  const gate = (own: object) => codes(graph([node("gate", "g", own)]));
  expect(gate({ fields: [field("a", "string"), field("a", "string")] })).toEqual([
    "1 error duplicate-field",
  ]);
  expect(gate({ fields: [field("a", "choice")] })).toEqual(["1 error no-choices"]);
  expect(gate({ onDeadline: { choice: "reject" } })).toEqual(["1 warning no-deadline"]);
});

test.each([
  ["an unknown target", { retryTarget: "codr" }, "unknown-node"],
  ["a target that it does not wait for", { retryTarget: "other" }, "retry-not-upstream"],
  ["a target in a loop", { retryTarget: "inner" }, "retry-across-loop"],
  ["no checks", { checks: [] }, "no-checks"],
  ["an unwired check", { checks: ["passed", "tested"] }, "unwired-check"],
  ["a check that is text", { checks: ["passed", "feedback"] }, "check-not-boolean"],
  ["itself as target", { retryTarget: "gate" }, "retry-not-upstream"],
])("a retry gate with %s", (_, own, code) => {
  const nodes = [
    exampleAgent("coder"),
    node("shell", "check"),
    exampleAgent("other"),
    loop("loop", { docks: [] }),
    exampleAgent("inner", inside("loop")),
    node("retry-gate", "gate", own),
  ];
  const edges = ["coder > check", "check.success > gate.passed", "check.output > gate.feedback"];
  expect(codes(graph(nodes, edges))).toEqual(["4 warning endless-loop", `6 error ${code}`]);
});

test("a join of one way", () => {
  const nodes = [exampleAgent("a"), node("join", "j")];
  expect(codes(graph(nodes, ["a.output > j.a"]))).toEqual(["2 warning join-of-one"]);
  expect(codes(graph(nodes))).toEqual(["2 warning join-of-one"]);
});

test("triggers and results that are there twice", () => {
  const start = (id: string) => node("trigger", id);
  expect(codes(graph([start("a"), start("b")]))).toEqual(["2 error several-triggers"]);
  expect(codes(graph([exampleAgent("a"), start("s")], ["a > s"]))).toEqual([
    "3 error edge-into-trigger",
  ]);
  const inLoop = [loop("loop", { docks: [] }), node("trigger", "s", inside("loop"))];
  expect(codes(graph(inLoop))).toEqual(["1 warning endless-loop", "2 error trigger-in-loop"]);
  const results = [node("output", "one"), node("output", "two")];
  expect(codes(graph(results))).toEqual(["2 error duplicate-output"]);
  const twice = { ...graph([exampleAgent("a")]), inputs: [examplePort("x"), examplePort("x")] };
  expect(codes(twice)).toEqual(["- error duplicate-input"]);
});

const ids = Array.from({ length: 10_000 }, (_, at) => `n${at}`);
const row = ids.slice(1).map((id, at) => `n${at} > ${id}`);

test.each([
  ["in a row", row, 0],
  ["beside each other", [], 9_999],
  ["in a circle", [...row, "n9999 > n0"], 1],
  ["each with a mistake", [...row, ...ids.map((id) => `${id} > start`)], 10_000],
])("ten thousand nodes on one session, %s", (_, edges, count) => {
  const nodes = ids.map((id) => exampleAgent(id, { session: { name: "s", scope: "run" } }));
  expect(checkGraph(graph([node("trigger", "start"), ...nodes], edges))).toHaveLength(count);
});
