import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentNode, GraphNode } from "../graph.ts";
import { checkGraph } from "./check.ts";
import { edge, exampleAgent, graph, node } from "./example.ts";

const s = { session: { name: "s", scope: "run" as const } };
const on = (id: string, own: Partial<AgentNode> = {}) => exampleAgent(id, { ...s, ...own });
const fork = { session: null, fork: { name: "s", scope: "run" as const } };

/** The pairs that may meet in one session. */
const clashes = (nodes: GraphNode[], edges: Parameters<typeof graph>[1] = []) =>
  checkGraph(graph(nodes, edges))
    .filter(({ code }) => code === "parallel-session")
    .map(({ message }) => /^Nodes "(.*)" and "(.*)" may/.exec(message)!.slice(1).join(" "));

const done = { name: "done", type: "until" as const, keyed: false };
const kept = { name: "kept", type: "feedback" as const, keyed: false };
const loop = (id: string) => node("loop", id, { docks: [done, kept] });
const inside = (parent: string) => ({ parent });

test.each([
  ["beside each other", [on("a"), on("b")], [], ["a b"]],
  ["one after the other", [on("a"), on("b")], ["a > b"], []],
  ["in the order of the graph, not of the file", [on("b"), on("a")], ["a > b"], []],
  ["with something between", [on("a"), on("b"), exampleAgent("x")], ["a > x", "x > b"], []],
  [
    "three, two of them beside each other",
    [on("a"), on("b"), on("c")],
    ["a > b", "a > c"],
    ["b c"],
  ],
  ["a fork beside it", [on("a"), exampleAgent("b", fork)], [], []],
  ["other names", [on("a"), exampleAgent("b", { session: { name: "t", scope: "run" } })], [], []],
  [
    "one name in two scopes",
    [on("a"), exampleAgent("b", { session: { name: "s", scope: "workflow" } })],
    [],
    [],
  ],
  [
    "of the whole workflow",
    ["a", "b"].map((id) => exampleAgent(id, { session: { name: "s", scope: "workflow" } })),
    [],
    ["a b"],
  ],
  [
    "of the trigger",
    ["a", "b"].map((id) => exampleAgent(id, { session: { name: "s", scope: "trigger" } })),
    [],
    ["a b"],
  ],
  [
    "an agent's own",
    ["a", "b"].map((id) => exampleAgent(id, { mode: "inherit_resume", agentId: "x" })),
    [],
    ["a b"],
  ],
  [
    "copies of an agent",
    ["a", "b"].map((id) => exampleAgent(id, { mode: "inherit_fresh", agentId: "x" })),
    [],
    [],
  ],
] as [string, GraphNode[], string[], string[]][])("%s", (_, nodes, edges, expected) => {
  expect(clashes(nodes, edges)).toEqual(expected);
});

test("it is an error at the second node, and says how to fork", () => {
  const [finding] = checkGraph(graph([on("a"), on("b")]));
  expect(finding).toMatchObject({
    severity: "error",
    message: 'Nodes "a" and "b" may run at the same time, and both continue the session "s".',
    hint: 'Let one wait for the other, or replace the session of one of them with "fork: s".',
    position: { line: 2 },
  });
});

test("in loops: one after the other, beside each other, and a node beside a loop", () => {
  const nodes = [
    loop("one"),
    on("a", inside("one")),
    loop("two"),
    on("b", inside("two")),
    on("c", inside("two")),
  ];
  const edges = ["a.success > one#done", "b.success > two#done", "b > c"];
  expect(clashes(nodes, [...edges, "one > two"])).toEqual([]);
  expect(clashes(nodes, edges)).toEqual(["a b"]);
  expect(clashes(nodes, ["a.success > one#done", "b.success > two#done", "one > two"])).toEqual([
    "b c",
  ]);
  const beside = [...nodes, on("d")];
  expect(clashes(beside, [...edges, "one > two", "two > d"])).toEqual([]);
  expect(clashes(beside, [...edges, "one > two", "one > d"])).toEqual(["b d"]);
});

test("in a loop in a loop", () => {
  const nodes = [loop("outer"), loop("inner"), on("a"), on("b")].map((each) => ({
    ...each,
    parent: { inner: "outer", a: "inner", b: "outer" }[each.id] ?? null,
  }));
  expect(clashes(nodes, ["inner > b"])).toEqual([]);
  expect(clashes(nodes)).toEqual(["a b"]);
});

test("outcomes of one branch exclude each other", () => {
  const nodes = [node("constant", "c"), node("branch", "x"), on("yes"), on("no")];
  const edges = ["c.value > x.value", "x.true > yes", "x.false > no"];
  expect(clashes(nodes, edges)).toEqual([]);
  expect(clashes(nodes, [...edges.slice(0, 2), "x.true > no"])).toEqual(["yes no"]);
  // The join is behind both, so a third use of the session is in order there.
  const joined = [...nodes, node("join", "j"), on("after")];
  const ways = [...edges, "yes.output > j.a", "no.output > j.b"];
  expect(clashes(joined, [...ways, "j > after"])).toEqual([]);
  expect(clashes(joined, [...ways, "x > after"])).toEqual(["yes after"]);
});

test("an earlier use is still beside the other outcome when the first one covers it", () => {
  const nodes = [node("constant", "c"), node("branch", "x"), on("early"), on("yes"), on("no")];
  const edges = ["c.value > x.value", "x.true > yes", "early > yes", "x.false > no"];
  expect(clashes(nodes, edges)).toEqual(["early no"]);
  expect(clashes(nodes, [...edges, "early > no"])).toEqual([]);
});

test("a key that is wired is followed", () => {
  const nodes = ["coder", "a", "b"].map((id) => exampleAgent(id));
  const wired = ["coder.sessionId > a.sessionId", "coder.sessionId > b.sessionId"];
  expect(clashes(nodes, wired)).toEqual(["a b"]);
  expect(clashes(nodes, [...wired, "a > b"])).toEqual([]);
  const own = exampleAgent("b", { fork: { name: "coder", scope: "run" } });
  expect(clashes([...nodes.slice(0, 2), own], wired)).toEqual([]);
});

test("a key goes through wires, loops and docks", () => {
  const nodes = [
    exampleAgent("coder"),
    node("wire", "w"),
    loop("one"),
    exampleAgent("a", inside("one")),
    exampleAgent("b"),
  ];
  const edges = [
    "coder.sessionId > w.input",
    "w.output > one.task",
    "(one.task) > a.sessionId",
    "a.sessionId > one#kept",
    edge("one#kept > a.sessionId", { select: "sessionId" }),
    "a.success > one#done",
    "a.sessionId > (one.result)",
    "w.output > b.sessionId",
  ];
  expect(clashes(nodes, edges)).toEqual(["a b"]);
  expect(clashes(nodes, [...edges.slice(0, -1), "one.result > b.sessionId"])).toEqual([]);
});

test("two agents whose sessions one node may continue do not share one", () => {
  const nodes = [exampleAgent("a"), exampleAgent("b"), exampleAgent("fixer")];
  expect(
    clashes(nodes, ["a.sessionId > fixer.sessionId", "b.sessionId > fixer.sessionId"]),
  ).toEqual([]);
});

test("a key that came with the run", () => {
  const nodes = [node("trigger", "start"), exampleAgent("a"), exampleAgent("b")];
  expect(clashes(nodes, ["start.text > a.sessionId", "start.text > b.sessionId"])).toEqual(["a b"]);
  expect(clashes(nodes, ["start.text > a.prompt", "start.text > b.prompt"])).toEqual([]);
});

test("one node is reported once, however many it meets", () => {
  expect(clashes([on("a"), on("b"), on("c"), on("d")])).toEqual(["a b", "a c", "a d"]);
});

test("whatever the graph: a clash is reported exactly when two users may run beside each other", () => {
  const size = 7;
  const link = fc.record({
    from: fc.nat(size - 1),
    to: fc.nat(size - 1),
    outcome: fc.constantFrom("true", "false"),
  });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("user", "branch", "other"), { minLength: size, maxLength: size }),
      fc.array(link, { maxLength: 12 }),
      (kinds, links) => {
        const forward = links.filter(({ from, to }) => from < to);
        const nodes = kinds.map((kind, at) =>
          kind === "user" ? on(`n${at}`) : node(kind === "branch" ? "branch" : "wire", `n${at}`),
        );
        const edges = forward.map(({ from, to, outcome }) =>
          kinds[from] === "branch" ? `n${from}.${outcome} > n${to}` : `n${from} > n${to}`,
        );
        expect(clashes(nodes, edges).length > 0).toBe(mayMeet(kinds, forward));
      },
    ),
    { numRuns: 500 },
  );
});

interface Link {
  readonly from: number;
  readonly to: number;
  readonly outcome: string;
}

/** By trying every outcome of every branch. */
function mayMeet(kinds: readonly string[], links: readonly Link[]): boolean {
  const before = kinds.map(() => new Set<number>());
  for (const [at, own] of before.entries())
    for (const { from } of links.filter(({ to }) => to === at))
      for (const each of [from, ...before[from]!]) own.add(each);
  return Array.from({ length: 2 ** kinds.length }, (_, outcomes) => {
    const runs: boolean[] = [];
    for (const at of kinds.keys())
      runs.push(
        links
          .filter(({ to }) => to === at)
          .every(({ from, outcome }) => {
            const taken = (outcomes >> from) & 1 ? "true" : "false";
            return runs[from] && (kinds[from] !== "branch" || taken === outcome);
          }),
      );
    const users = [...kinds.keys()].filter((at) => kinds[at] === "user" && runs[at]);
    return users.some((a) => users.some((b) => a < b && !before[b]!.has(a)));
  }).some((meets) => meets);
}
