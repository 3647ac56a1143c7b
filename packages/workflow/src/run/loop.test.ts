import { describe, expect, test } from "vitest";
import type { Edge, GraphNode, LoopNode } from "../graph.ts";
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
  iteration,
  loop,
  output,
  outward,
  previous,
  testPort,
  trigger,
} from "./test-graph.ts";
import { play } from "./test-run.ts";

const coder = agent("coder", { parent: "review" });
const reviewer = agent("reviewer", { parent: "review" });

function reviewLoop(more: Partial<LoopNode> = {}, type: "until" | "continue" = "until") {
  const docks = [dock("session"), dock("stop", type)];
  return graphOf(
    [
      trigger(),
      loop("review", { docks, maxIterations: 3, ...more }),
      coder,
      reviewer,
      output("code"),
    ],
    [
      flow("trigger.text", "review.task"),
      inward("review.task", "coder.taskPrompt"),
      previous("review.session", "coder.sessionId"),
      flow("coder.output", "reviewer.input"),
      intoDock("coder.sessionId", "review.session"),
      intoDock("reviewer.approved", "review.stop"),
      outward("coder.output", "review.code"),
      flow("review.code", "code.value"),
    ],
  );
}

describe("C15: docks", () => {
  test("null first, then what the iteration before emitted", () => {
    const run = play(reviewLoop(), { task: "fix it" });
    expect(run.agentWork("review/1/coder").inputs.sessionId).toBeNull();
    run.done("review/1/coder", { output: "v1" }).done("review/1/reviewer", { approved: false });
    expect(run.agentWork("review/2/coder").inputs.sessionId).toBe("wf:r1:agent:coder");
    expect(run.agentWork("review/2/coder").session).toMatchObject({
      key: "wf:r1:agent:coder",
      how: "continue",
    });
    run.done("review/2/coder", { output: "v2" }).done("review/2/reviewer", { approved: true });
    expect(run.status).toBe("done");
    expect(run.state.outputs).toEqual({ code: "v2" });
    expect(run.execution("review").outputs).toEqual({
      code: "v2",
      iterations: 2,
      ended: "condition",
    });
  });

  test("a failed agent still emits its session", () => {
    const graph = reviewLoop();
    const nodes = graph.nodes.map((node) =>
      node.id === "coder" ? { ...node, onError: "continue" as const } : node,
    );
    const run = play({ ...graph, nodes }).fail("review/1/coder");
    run.done("review/1/reviewer", { approved: false });
    expect(run.key("review/2/coder")).toBe("wf:r1:agent:coder");
  });

  test("a wired prompt wins over the node's own", () => {
    const run = play(reviewLoop(), { task: "fix it" });
    expect(run.agentWork("review/1/coder").prompt).toBe("fix it");
  });

  test.each([
    ["until", true, "stops"],
    ["until", false, "continues"],
    ["until", "true", "stops"],
    ["until", "false", "continues"],
    ["continue", true, "continues"],
    ["continue", false, "stops"],
    ["continue", "false", "stops"],
  ] as const)("%s %j %s", (type, approved, what) => {
    const run = play(reviewLoop({}, type)).done("review/1/coder");
    run.done("review/1/reviewer", { approved });
    expect(run.startedIds.includes("review/2/coder")).toBe(what === "continues");
  });

  test("a text read as a condition is said", () => {
    const run = play(reviewLoop())
      .done("review/1/coder")
      .done("review/1/reviewer", { approved: "true" });
    expect(run.execution("review").warnings).toEqual([
      'review.stop: the text "true" was read as true',
    ]);
  });

  test.each([
    ["missing", {}, "got null from reviewer.approved"],
    ["null", { approved: null }, "got null"],
    ["a number", { approved: 1 }, "got a number"],
    ["a text", { approved: "yes" }, "got a text"],
    ["an object", { approved: {} }, "got an object"],
  ])("a condition that is %s fails the loop and names the dock", (_, outputs, said) => {
    const run = play(reviewLoop()).done("review/1/coder").done("review/1/reviewer", outputs);
    expect(run.status).toBe("failed");
    expect(run.state.error?.code).toBe("bad-condition");
    expect(run.state.error?.message).toContain(said);
    expect(run.state.error?.message).toContain('dock "stop"');
  });

  test.each([
    [true, "condition", 3],
    [false, "maximum", 3],
  ])("approved %s in the last iteration ends by %s", (last, ended, iterations) => {
    const run = play(reviewLoop());
    for (const [at, approved] of [false, false, last].entries())
      run
        .done(`review/${at + 1}/coder`, { output: at })
        .done(`review/${at + 1}/reviewer`, { approved });
    expect(run.execution("review").outputs).toMatchObject({ ended, iterations });
    expect(run.status).toBe("done");
  });

  test("onMaximum: fail fails the loop at the maximum, and not by the condition", () => {
    const last = (approved: boolean) =>
      play(reviewLoop({ maxIterations: 1, onMaximum: "fail" }))
        .done("review/1/coder")
        .done("review/1/reviewer", { approved });
    expect(last(false).state).toMatchObject({
      status: "failed",
      error: { code: "maximum-reached" },
    });
    expect(last(true).status).toBe("done");
  });

  test("without a condition a loop runs to its maximum", () => {
    const graph = graphOf([loop("l", { maxIterations: 2 }), fn("a", { parent: "l" })]);
    const run = play(graph).done("l/1/a").done("l/2/a");
    expect(run.execution("l").outputs).toEqual({ iterations: 2, ended: "maximum" });
  });

  test("a keyed dock is an object by port, of which an edge takes what it needs", () => {
    const docks = [dock("state", "feedback", true)];
    const run = play(
      graphOf(
        [
          loop("l", { docks, maxIterations: 2 }),
          agent("a", { parent: "l" }),
          fn("r", { parent: "l" }),
        ],
        [
          previous("l.state", "a.sessionId", "sessionId"),
          previous("l.state", "a.prompt", "prompt"),
          previous("l.state", "r.all"),
          after("a", "r"),
          intoDock("a.sessionId", "l.state"),
          intoDock("r.feedback", "l.state"),
        ],
      ),
    );
    expect(run.agentWork("l/1/a").prompt).toBe("do a");
    run.done("l/1/a").done("l/1/r", { feedback: "shorter" });
    expect(run.agentWork("l/2/a")).toMatchObject({
      prompt: "shorter",
      session: { key: "wf:r1:agent:a" },
    });
    run.done("l/2/a");
    expect(run.work("l/2/r")).toMatchObject({
      inputs: { all: { sessionId: "wf:r1:agent:a", feedback: "shorter" } },
    });
  });

  test("a dock's value wins over other edges, wherever they are in the file", () => {
    const docks = [dock("last")];
    const run = play(
      graphOf(
        [
          loop("l", { docks, maxIterations: 2 }),
          constant("k", "always", { parent: "l" }),
          fn("a", { parent: "l" }),
        ],
        [previous("l.last", "a.in"), flow("k.value", "a.in"), intoDock("a.x", "l.last")],
      ),
    );
    expect(run.work("l/1/a")).toMatchObject({ inputs: { in: "always" } });
    run.done("l/1/a", { x: "emitted" });
    expect(run.work("l/2/a")).toMatchObject({ inputs: { in: "emitted" } });
  });

  test("the number of the iteration counts from 1", () => {
    const run = play(
      graphOf([loop("l", { maxIterations: 2 }), fn("a", { parent: "l" })], [iteration("l", "a.n")]),
    ).done("l/1/a");
    expect([run.work("l/1/a"), run.work("l/2/a")]).toMatchObject([
      { inputs: { n: 1 } },
      { inputs: { n: 2 } },
    ]);
  });
});

describe("loops in loops", () => {
  const nodes: GraphNode[] = [
    loop("outer", { maxIterations: 2 }),
    loop("inner", { parent: "outer", maxIterations: 2, docks: [dock("last")] }),
    fn("a", { parent: "inner" }),
    fn("b", { parent: "outer" }),
  ];
  const edges: Edge[] = [
    inward("outer.in", "inner.in"),
    inward("inner.in", "a.in"),
    previous("inner.last", "a.last"),
    intoDock("a.x", "inner.last"),
    outward("a.x", "inner.x"),
    flow("inner.x", "b.in"),
  ];

  test("each entry begins with null, and takes what comes from outside", () => {
    const graph = graphOf(
      [constant("k", "from outside"), ...nodes],
      [flow("k.value", "outer.in"), ...edges],
    );
    const run = play(graph);
    const a = (outer: number, inner: number) => `outer/${outer}/inner/${inner}/a`;
    run.done(a(1, 1), { x: 1 }).done(a(1, 2), { x: 2 }).done("outer/1/b").done(a(2, 1), { x: 3 });
    const seen = [a(1, 1), a(1, 2), a(2, 1), a(2, 2)].map((id) => run.work(id));
    expect(seen).toMatchObject([
      { inputs: { in: "from outside", last: null } },
      { inputs: { last: 1 } },
      { inputs: { in: "from outside", last: null } },
      { inputs: { last: 3 } },
    ]);
    expect(run.work("outer/1/b")).toMatchObject({ inputs: { in: 2 } });
    expect(run.execution("outer/2/inner")).toMatchObject({ type: "loop", entry: 2 });
  });

  test("a failure inside fails the loop, whose own onError decides", () => {
    const caught = nodes.map((node) =>
      node.id === "inner" ? { ...node, onError: "continue" as const } : node,
    );
    const run = play(graphOf(caught, edges)).fail("outer/1/inner/1/a");
    expect(run.execution("outer/1/inner")).toMatchObject({
      status: "failed",
      error: { code: "broken" },
      outputs: { iterations: 1, ended: "failed", success: false },
    });
    expect(run.startedIds.at(-1)).toBe("outer/1/b");
    const fatal = play(graphOf(nodes, edges)).fail("outer/1/inner/1/a");
    expect(fatal.state).toMatchObject({
      status: "failed",
      error: { message: "outer/1/inner/1/a failed: outer/1/inner/1/a broke." },
    });
  });

  test("what runs beside a failure in a loop is let end, and nothing else begins there", () => {
    const graph = graphOf(
      [
        loop("l", { onError: "continue" }),
        fn("a", { parent: "l" }),
        fn("b", { parent: "l" }),
        fn("c", { parent: "l" }),
        fn("next"),
        fn("beside"),
      ],
      [after("b", "c"), after("l", "next")],
      { parallel: 3 },
    );
    const run = play(graph).fail("l/1/a");
    expect(run.execution("l").status).toBe("running");
    run.done("l/1/b");
    expect(run.statuses).toMatchObject({ l: "failed", next: "running", beside: "running" });
    expect(run.startedIds).not.toContain("l/1/c");
  });
});

test("a loop whose input has the wrong type is not entered", () => {
  const graph = graphOf(
    [
      constant("k", 1),
      loop("l", { inputs: [testPort("in", { type: "string" })] }),
      fn("a", { parent: "l" }),
    ],
    [flow("k.value", "l.in")],
  );
  expect(play(graph).state).toMatchObject({ status: "failed", error: { code: "wrong-type" } });
});
