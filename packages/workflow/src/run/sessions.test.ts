import { describe, expect, test } from "vitest";
import type { AgentNode, Edge, Graph, GraphNode } from "../graph.ts";
import {
  after,
  agent,
  constant,
  dock,
  flow,
  fn,
  graphOf,
  intoDock,
  inward,
  loop,
  outward,
  previous,
  trigger,
} from "./test-graph.ts";
import { Play, play } from "./test-run.ts";
import { workOf } from "./work.ts";

const named = (name: string, scope: "run" | "workflow" | "trigger" = "run") => ({ name, scope });

function sessionOf(
  more: Partial<AgentNode>,
  edges: Edge[] = [],
  inputs = {},
  nodes: GraphNode[] = [],
) {
  return play(graphOf([trigger(), ...nodes, agent("a", more)], edges), inputs);
}

describe("keys", () => {
  test("a node without a name has a key of its own, new for each execution", () => {
    const graph = graphOf([loop("l", { maxIterations: 3 }), agent("a", { parent: "l" })]);
    const run = play(graph).done("l/1/a").done("l/2/a");
    expect(["l/1/a", "l/2/a", "l/3/a"].map((id) => run.agentWork(id).session)).toMatchObject([
      { key: "wf:r1:agent:a", how: "begin" },
      { key: "wf:r1:agent:a:2", how: "begin" },
      { key: "wf:r1:agent:a:3", how: "begin" },
    ]);
  });

  test("another attempt of an execution keeps its key", () => {
    const run = play(graphOf([agent("a")]));
    run.fail("a", { retryAt: run.now });
    expect(run.agentWork("a").session).toMatchObject({ key: "wf:r1:agent:a", how: "continue" });
    expect(run.state.minted.get("a")).toBe(1);
  });

  test("what had started is known again, also that its key is new", () => {
    const run = play(graphOf([agent("a", { fork: named("base", "workflow") })]));
    const again = workOf(run.graph, run.folded(), "a");
    expect(again).toEqual(run.work("a"));
    expect(run.agentWork("a").session.fork).toBe("wf:flow:agent:base");
  });

  test("names as parts of keys hold only what a key may", () => {
    const run = play(graphOf([agent("a b:c"), agent("a-b-c")]));
    expect([run.key("a b:c"), run.key("a-b-c")]).toEqual([
      "wf:r1:agent:a-b-c",
      "wf:r1:agent:a-b-c:2",
    ]);
  });

  test("a name and a node of the same name do not share a key by accident", () => {
    const run = play(graphOf([agent("a"), agent("b", { session: named("a") })]));
    expect(run.key("a")).not.toBe(run.key("b"));
    run.crash();
    expect(run.state.named).toEqual(new Map([["a#1", "wf:r1:agent:a:2"]]));
  });

  test.each([
    ["workflow", null, "wf:flow:agent:s"],
    ["trigger", "nightly", "wf:flow:trigger:nightly:agent:s"],
    ["trigger", null, "wf:flow:trigger:manual:agent:s"],
  ] as const)(
    "scope %s of trigger %s: %s, which may have begun in an earlier run",
    (scope, trig, key) => {
      const run = new Play(
        graphOf([agent("a", { session: named("s", scope) })]),
        {},
        { trigger: trig },
      );
      expect(run.agentWork("a").session).toMatchObject({ key, how: "continue" });
      expect(workOf(run.graph, run.state, "a")).toEqual(run.work("a"));
    },
  );

  test("names that make too long a key fail the node", () => {
    const graph = graphOf([agent("a", { session: named("s".repeat(100), "trigger") })]);
    const run = new Play(graph, {}, { trigger: "t".repeat(100) });
    expect(run.state).toMatchObject({ status: "failed", error: { code: "bad-key" } });
  });

  test("inherit_resume continues the agent's own session", () => {
    const run = sessionOf({ mode: "inherit_resume", agentId: "ann" });
    expect(run.agentWork("a").session).toMatchObject({ key: "agent:ann", how: "continue" });
  });
});

describe("C16: one session over sequential loops", () => {
  const reviewed = (id: string, node: Partial<AgentNode>): GraphNode[] => [
    loop(id, { docks: [dock("stop", "until")] }),
    agent(`${id}-coder`, { parent: id, ...node }),
  ];
  const stops = (id: string) => intoDock(`${id}-coder.ok`, `${id}.stop`);

  test("by name", () => {
    const graph = graphOf(
      [
        ...reviewed("one", { session: named("coder") }),
        ...reviewed("two", { session: named("coder") }),
      ],
      [stops("one"), stops("two"), after("one", "two")],
    );
    const run = play(graph).done("one/1/one-coder", { ok: false });
    run.done("one/2/one-coder", { ok: true }).done("two/1/two-coder", { ok: false });
    const keys = ["one/1/one-coder", "one/2/one-coder", "two/1/two-coder", "two/2/two-coder"];
    expect(new Set(keys.map((id) => run.key(id)))).toEqual(new Set(["wf:r1:agent:coder"]));
  });

  test("by its key, wired from the first to the second", () => {
    const graph = graphOf(
      [...reviewed("one", {}), ...reviewed("two", {})],
      [
        stops("one"),
        stops("two"),
        outward("one-coder.sessionId", "one.session"),
        flow("one.session", "two.session"),
        inward("two.session", "two-coder.sessionId"),
      ],
    );
    const run = play(graph).done("one/1/one-coder", { ok: true });
    expect(run.agentWork("two/1/two-coder").session).toMatchObject({
      key: "wf:r1:agent:one-coder",
      how: "continue",
    });
  });

  test("a fork begins a session of its own with the past of another", () => {
    const graph = graphOf(
      [
        agent("base", { session: named("base") }),
        agent("left", { fork: named("base") }),
        agent("right", { fork: named("base"), session: named("right") }),
        agent("later", { session: named("right") }),
      ],
      [after("base", "left"), after("base", "right"), after("right", "later")],
    );
    const run = play(graph).done("base").done("left").done("right");
    const fork = "wf:r1:agent:base";
    expect(["left", "right", "later"].map((id) => run.agentWork(id).session)).toMatchObject([
      { key: "wf:r1:agent:left", how: "begin", fork },
      { key: "wf:r1:agent:right", how: "begin", fork },
      { key: "wf:r1:agent:right", how: "continue", fork: null },
    ]);
  });

  test("a fork with a wired key is a fork of that one", () => {
    const run = play(
      graphOf(
        [agent("base"), agent("a", { fork: named("x") })],
        [flow("base.sessionId", "a.sessionId")],
      ),
    ).done("base");
    expect(run.agentWork("a").session).toMatchObject({
      key: "wf:r1:agent:a",
      fork: "wf:r1:agent:base",
    });
  });
});

describe("entries", () => {
  /** Outer loop, twice; in it a loop, twice, whose agent has a name. */
  const nested = (more: GraphNode[] = []): Graph =>
    graphOf([
      loop("outer", { maxIterations: 2 }),
      loop("inner", { parent: "outer", maxIterations: 2 }),
      agent("a", { parent: "inner", session: named("s") }),
      ...more,
    ]);
  const a = (outer: number, inner: number, round = "") => `outer${round}/${outer}/inner/${inner}/a`;

  test("one key for each entry of the innermost loop that holds all who name it", () => {
    const run = play(nested()).done(a(1, 1)).done(a(1, 2)).done(a(2, 1));
    expect([a(1, 1), a(1, 2), a(2, 1), a(2, 2)].map((id) => run.key(id))).toEqual([
      "wf:r1:agent:s",
      "wf:r1:agent:s",
      "wf:r1:agent:s:2",
      "wf:r1:agent:s:2",
    ]);
  });

  test("when a node outside names it too, it lives longer, for the first node that uses it", () => {
    const run = play(nested([agent("b", { parent: "outer", session: named("s") })]));
    run.done("outer/1/b").done(a(1, 1)).done(a(1, 2)).done("outer/2/b");
    expect(run.key(a(2, 1))).toBe("wf:r1:agent:s");
  });

  test("a fork outside counts as naming it", () => {
    const run = play(nested([agent("b", { fork: named("s") })]));
    run.done("b").done(a(1, 1)).done(a(1, 2));
    expect(run.key(a(2, 1))).toBe("wf:r1:agent:s");
  });

  const ended = () => {
    const run = play(nested());
    for (const id of [a(1, 1), a(1, 2), a(2, 1)]) run.done(id);
    return run;
  };

  test("a rerun of what failed stays in its entry", () => {
    const run = ended().fail(a(2, 2));
    run.happen({ type: "run.rerun", from: { what: "failed" }, by: null });
    expect(run.startedIds.at(-1)).toBe(`${a(2, 2)}#2`);
    expect(run.key(a(2, 2))).toBe("wf:r1:agent:s:2");
  });

  test.each([
    [{ what: "node", node: "inner" }, "outer/2/inner~1/1/a"],
    [{ what: "node", node: "outer" }, a(1, 1, "~1")],
    [{ what: "start" }, a(1, 1, "~1")],
  ] as const)("a rerun from %j is a new one", (from, id) => {
    const run = ended().done(a(2, 2)).happen({ type: "run.rerun", from, by: null });
    expect(run.startedIds.at(-1)).toBe(id);
    expect(run.key(id)).toBe("wf:r1:agent:s:3");
  });

  test("a rerun from a node in the loop continues in the entry of its last iteration", () => {
    const run = ended().done(a(2, 2));
    run.happen({ type: "run.rerun", from: { what: "node", node: "a" }, by: null });
    expect(run.startedIds.at(-1)).toBe(`${a(2, 2)}~1`);
    expect(run.key(`${a(2, 2)}~1`)).toBe("wf:r1:agent:s:2");
  });

  test("at the top, from the start is a new entry of the run", () => {
    const run = play(graphOf([agent("a", { session: named("s") })])).done("a");
    run.happen({ type: "run.rerun", from: { what: "node", node: "a" }, by: null });
    expect(run.key("a~1")).toBe("wf:r1:agent:s");
    run.done("a~1").happen({ type: "run.rerun", from: { what: "start" }, by: null });
    expect(run.key("a~2")).toBe("wf:r1:agent:s:2");
  });
});

describe("a wired sessionId", () => {
  const wired = [flow("trigger.key", "a.sessionId")];

  test("that the run was given is continued", () => {
    const run = sessionOf({}, wired, { key: "my-session" });
    expect(run.agentWork("a").session).toEqual({
      key: "my-session",
      how: "continue",
      fork: null,
      adopt: null,
      messages: null,
    });
    expect(workOf(run.graph, run.state, "a")).toEqual(run.work("a"));
  });

  test("wins over the node's name; null or empty leaves the name", () => {
    const session = named("s");
    expect(sessionOf({ session }, wired, { key: "mine" }).key("a")).toBe("mine");
    expect(sessionOf({ session }, wired, { key: null }).key("a")).toBe("wf:r1:agent:s");
    expect(sessionOf({ session }, wired, { key: "" }).key("a")).toBe("wf:r1:agent:s");
  });

  const foreign = [flow("k.value", "a.sessionId")];
  const k = [constant("k", "0199-raw-id")];

  test("that is not an input of the run fails the node", () => {
    const run = sessionOf({}, foreign, {}, k);
    expect(run.state).toMatchObject({ status: "failed", error: { code: "foreign-session" } });
    expect(run.state.error?.message).toContain("0199-raw-id");
  });

  test.each(["bad key!", "a\nb", "../../x", "k".repeat(201)])("%j is not a key", (key) => {
    for (const node of [{}, { adopt: true }, { session: named("s") }]) {
      const run = sessionOf(node, wired, { key });
      expect(run.state).toMatchObject({ status: "failed", error: { code: "bad-key" } });
      expect(run.starts).toEqual([]);
    }
  });

  test("of the provider's own is taken over with adopt: true", () => {
    const run = sessionOf({ adopt: true }, foreign, {}, k);
    expect(run.agentWork("a").session).toMatchObject({
      key: "wf:r1:agent:a",
      how: "begin",
      adopt: "0199-raw-id",
    });
    expect(workOf(run.graph, run.state, "a")).toEqual(run.work("a"));
  });

  const messages = [{ role: "user", content: "hello" }];

  test.each(["sessionId", "conversationHistory"])(
    "messages on %s are imported into a new key, once",
    (name) => {
      const graph = graphOf(
        [
          loop("l", { maxIterations: 2, docks: [dock("s")] }),
          constant("k", { messages }, { parent: "l" }),
          agent("a", { parent: "l", session: named("s") }),
        ],
        [flow("k.value", `a.${name}`)],
      );
      const run = play(graph).done("l/1/a");
      expect(run.agentWork("l/1/a").session).toMatchObject({ how: "begin", messages });
      expect(run.agentWork("l/2/a").session).toMatchObject({ how: "continue", messages: null });
    },
  );

  test("comes back through a dock", () => {
    const graph = graphOf(
      [
        loop("l", { maxIterations: 2, docks: [dock("s")] }),
        agent("a", { parent: "l" }),
        fn("b", { parent: "l" }),
      ],
      [previous("l.s", "a.sessionId"), intoDock("a.sessionId", "l.s"), after("a", "b")],
    );
    const run = play(graph).done("l/1/a").done("l/1/b");
    expect(run.key("l/2/a")).toBe("wf:r1:agent:a");
  });
});
