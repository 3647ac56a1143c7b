import { describe, expect, test } from "vitest";
import type { GraphNode } from "../graph.ts";
import {
  after,
  agent,
  branch,
  constant,
  flow,
  fn,
  gate,
  graphOf,
  join,
  output,
  shell,
  testPort,
  trigger,
  wire,
} from "./test-graph.ts";
import { type Play, play } from "./test-run.ts";

test("a chain goes from its trigger to its output, with one event for what has no effect", () => {
  const run = play(
    graphOf(
      [trigger(), agent("coder"), output("result")],
      [flow("trigger.text", "coder.input"), flow("coder.output", "result.value")],
    ),
    { task: "fix it" },
  );
  expect(run.startedIds).toEqual(["coder"]);
  run.done("coder", { output: "fixed" });
  expect(run.status).toBe("done");
  expect(run.state.outputs).toEqual({ result: "fixed" });
  expect(run.events.map(({ event }) => event.type)).toEqual([
    "run.started",
    "node.done",
    "node.started",
    "node.done",
    "node.done",
    "run.ended",
  ]);
});

test("events repeat nothing: what a node without an effect emits follows from earlier ones", () => {
  const long = "x".repeat(1000);
  const run = play(
    graphOf(
      [trigger(), wire("a"), join("b"), fn("c")],
      [flow("trigger.text", "a.in"), flow("a.in", "b.in"), flow("b.output", "c.in")],
    ),
    { text: long },
  );
  expect(run.work("c")).toMatchObject({ inputs: { in: long } });
  run.done("c");
  const written = JSON.stringify(run.events);
  expect(written.split(long)).toHaveLength(2);
});

test("a trigger emits what the run was given", () => {
  const run = play(graphOf([trigger("start")]), { task: "a", count: 2 });
  expect(run.execution("start").outputs).toEqual({
    text: "a",
    params: { task: "a", count: 2 },
    timestamp: new Date(run.state.startedAt).toISOString(),
    type: "manual",
    task: "a",
    count: 2,
  });
  expect(play(graphOf([trigger("t")]), { a: "1", b: "2" }).execution("t").outputs.text).toBe("");
  expect(play(graphOf([trigger("t")]), { a: "1", text: "2" }).execution("t").outputs.text).toBe(
    "2",
  );
});

test("without output nodes a run ends with what its last nodes emitted", () => {
  const run = play(graphOf([fn("a"), fn("b"), fn("c")], [flow("a.x", "b.x")]));
  run.done("a", { x: 1 }).done("b", { y: 2 }).done("c", { z: 3 });
  expect(run.state.outputs).toEqual({ b: { y: 2 }, c: { z: 3 } });
});

test("no more work runs than the limit allows; gates and agents that wait do not count", () => {
  const nodes = [gate("g"), agent("a"), agent("b"), agent("c"), agent("d")];
  const run = play(graphOf(nodes, [], { parallel: 2 }));
  expect(run.startedIds).toEqual(["a", "b"]);
  run.happen({ type: "node.waiting", execution: "a", attempt: 1, turn: "turn-1" });
  expect(run.startedIds).toEqual(["a", "b", "c"]);
  run.done("b");
  expect(run.startedIds).toEqual(["a", "b", "c", "d"]);
});

describe("what comes after a branch", () => {
  const graph = graphOf(
    [
      trigger(),
      branch("b"),
      fn("yes"),
      fn("no"),
      fn("after-no", { inputs: [testPort("in", { required: true })] }),
      join("both"),
    ],
    [
      flow("trigger.flag", "b.value"),
      after("b.true", "yes"),
      after("b.false", "no"),
      flow("no.x", "after-no.in"),
      flow("yes.x", "both.yes"),
      flow("after-no.x", "both.no"),
    ],
  );

  test("the other outcome is skipped, and all that hangs on it, and the join takes what came", () => {
    const run = play(graph, { flag: true });
    expect(run.startedIds).toEqual(["yes"]);
    expect(run.statuses).toMatchObject({ no: "skipped", "after-no": "skipped" });
    expect(run.execution("no").because).toBe("Nothing came from b.false.");
    run.done("yes", { x: 1 });
    expect(run.status).toBe("done");
    expect(run.execution("both").outputs).toMatchObject({ output: 1, values: { yes: 1 } });
  });

  test.each([
    ["true", ["yes"], 1],
    ["false", ["no"], 1],
    [false, ["no"], 0],
  ])("%j is read as what it says", (flag, started, warnings) => {
    const run = play(graph, { flag });
    expect(run.startedIds).toEqual(started);
    expect(run.execution("b").warnings).toHaveLength(warnings);
  });

  test.each([[null], [1], ["yes"], [{}]])("%j is not a condition", (flag) => {
    const run = play(graph, { flag });
    expect(run.status).toBe("failed");
    expect(run.state.error).toMatchObject({ code: "bad-condition" });
    expect(run.state.error?.message).toContain('input "value"');
  });

  test.each([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, "yes"],
    ["x", "x", "yes"],
    ["x", "y", "no"],
    [null, null, "yes"],
  ])("%j equals %j: %s", (value, flag, started) => {
    const nodes = graph.nodes.map((node) =>
      node.type === "branch" ? { ...node, when: { test: "equals", value } as const } : node,
    );
    expect(play({ ...graph, nodes }, { flag }).startedIds).toEqual([started]);
  });
});

describe("a join", () => {
  const nodes = (wait: "all" | "any"): GraphNode[] => [
    fn("a", { onError: "skip" }),
    fn("b", { onError: "skip" }),
    join("j", { wait }),
    fn("end", { inputs: [testPort("in", { required: true })] }),
  ];
  const edges = [flow("a.x", "j.a"), flow("b.x", "j.b"), flow("j.output", "end.in")];

  test("waits for all, and is skipped when nothing came", () => {
    const run = play(graphOf(nodes("all"), edges));
    run.done("a", { x: 1 });
    expect(run.startedIds).toEqual(["a", "b"]);
    run.done("b", { x: 2 });
    expect(run.work("end")).toMatchObject({ inputs: { in: 2 } });
    const other = play(graphOf(nodes("all"), edges))
      .fail("a")
      .fail("b");
    expect(other.statuses).toMatchObject({ j: "skipped", end: "skipped" });
    expect(other.status).toBe("done");
  });

  test("takes what came when another did not", () => {
    const run = play(graphOf(nodes("all"), edges))
      .fail("a")
      .done("b", { x: 2 });
    expect(run.work("end")).toMatchObject({ inputs: { in: 2 } });
  });

  test("has an output whichever came, also when its ports are called so", () => {
    const ports = [flow("a.x", "j.output"), flow("b.x", "j.b"), flow("j.output", "end.in")];
    const run = play(graphOf(nodes("all"), ports))
      .fail("a")
      .done("b", { x: 2 });
    expect(run.work("end")).toMatchObject({ inputs: { in: 2 } });
  });

  test("any: continues with the first, once, and the run still waits for the other", () => {
    const run = play(graphOf(nodes("any"), edges)).done("b", { x: 2 });
    expect(run.work("end")).toMatchObject({ inputs: { in: 2 } });
    run.done("end");
    expect(run.status).toBe("running");
    run.done("a", { x: 1 });
    expect(run.startedIds).toEqual(["a", "b", "end"]);
    expect(run.status).toBe("done");
  });

  test("any: a first that failed does not count", () => {
    const run = play(graphOf(nodes("any"), edges)).fail("a");
    expect(run.state.executions.has("j")).toBe(false);
    run.fail("b");
    expect(run.statuses).toMatchObject({ j: "skipped" });
  });
});

describe("a node that fails", () => {
  const graph = (onError: GraphNode["onError"]) =>
    graphOf(
      [fn("a", { onError }), fn("b"), fn("next"), fn("beside")],
      [flow("a.success", "next.in"), after("a", "next"), after("b", "beside")],
      { parallel: 2 },
    );

  test("fail: nothing new begins, what runs is let end, then the run has failed", () => {
    const run = play(graph("fail")).fail("a");
    expect(run.status).toBe("running");
    run.done("b");
    expect(run.startedIds).toEqual(["a", "b"]);
    expect(run.status).toBe("failed");
    expect(run.state.error).toMatchObject({ code: "broken", message: "a failed: a broke." });
  });

  test("skip: what depends on it is skipped", () => {
    const run = play(graph("skip")).fail("a").done("b").done("beside");
    expect(run.statuses).toEqual({ a: "failed", b: "done", next: "skipped", beside: "done" });
    expect(run.status).toBe("done");
  });

  test("continue: what depends on it gets success: false and the error", () => {
    const run = play(graph("continue")).fail("a", { outputs: { exitCode: 3 } });
    expect(run.work("next")).toMatchObject({ inputs: { in: false } });
    expect(run.execution("a").outputs).toEqual({ success: false, error: "a broke.", exitCode: 3 });
  });

  test("is tried again when its time has come, as another attempt", () => {
    const run = play(graphOf([fn("a"), fn("b")], [after("a", "b")]));
    const retryAt = run.now + 500;
    run.fail("a", { retryAt });
    expect(run.execution("a")).toMatchObject({ status: "retrying", retryAt, failures: 1 });
    expect(run.startedIds).toEqual(["a"]);
    expect(run.waitsUntil).toBe(retryAt);
    run.now = retryAt;
    run.follow();
    expect(run.startedIds).toEqual(["a", "a#2"]);
    expect(run.waitsUntil).toBeNull();
    run.done("a");
    expect(run.startedIds).toEqual(["a", "a#2", "b"]);
  });
});

describe("what a node gets", () => {
  const started = (nodes: GraphNode[], edges: Parameters<typeof graphOf>[1], inputs = {}) =>
    play(graphOf(nodes, edges), inputs);
  const reader = (type: "string" | "number" | "boolean" | "json", more = {}) =>
    fn("n", { inputs: [testPort("in", { type, ...more })] });
  const edges = [flow("trigger.v", "n.in")];

  test.each([
    ["string", "a", "a"],
    ["number", 1, 1],
    ["boolean", true, true],
    ["boolean", "true", true],
    ["boolean", "false", false],
    ["json", { a: 1 }, { a: 1 }],
    ["string", null, null],
  ] as const)("%s takes %j as %j", (type, value, taken) => {
    const run = started([trigger(), reader(type)], edges, { v: value });
    expect(run.work("n")).toMatchObject({ inputs: { in: taken } });
  });

  test("a text read as a boolean is said", () => {
    const run = started([trigger(), reader("boolean")], edges, { v: "false" });
    expect(run.execution("n").warnings).toEqual(['n.in: the text "false" was read as false']);
  });

  test.each([
    ["string", 1],
    ["string", { a: 1 }],
    ["number", "1"],
    ["boolean", "yes"],
    ["boolean", 1],
  ] as const)("%s does not take %j: the run fails and names the port", (type, value) => {
    const run = started([trigger(), reader(type)], edges, { v: value });
    expect(run.starts).toEqual([]);
    expect(run.status).toBe("failed");
    expect(run.state.error?.code).toBe("wrong-type");
    expect(run.state.error?.message).toContain('on its input "in"');
  });

  test("a required input that got null has its default, else the node fails and names it", () => {
    const withDefault = started(
      [trigger(), reader("string", { required: true, default: "d" })],
      edges,
    );
    expect(withDefault.work("n")).toMatchObject({ inputs: { in: "d" } });
    const mayBeNull = started(
      [trigger(), reader("string", { required: true, default: null })],
      edges,
    );
    expect(mayBeNull.work("n")).toMatchObject({ inputs: { in: null } });
    const without = started([trigger(), reader("string", { required: true })], edges);
    expect(without.state.error).toMatchObject({
      code: "missing-input",
      message: 'n failed: Node "n" got no value on its input "in".',
    });
  });

  test("W2: also an input that is not required skips its node when its source failed", () => {
    const run = started(
      [fn("a", { onError: "skip" }), reader("string")],
      [flow("a.x", "n.in")],
    ).fail("a");
    expect(run.execution("n")).toMatchObject({ status: "skipped", because: "a failed." });
  });

  test("of several edges the last in the file that is not null", () => {
    const nodes = [
      constant("a", "one"),
      constant("b", "two"),
      constant("c", null),
      reader("string"),
    ];
    const all = [flow("a.value", "n.in"), flow("b.value", "n.in"), flow("c.value", "n.in")];
    expect(started(nodes, all).work("n")).toMatchObject({ inputs: { in: "two" } });
  });
});

describe("a run that is cancelled", () => {
  const cancel = (run: Play) => run.happen({ type: "run.cancelling", by: "ann" });

  test("begins nothing, and ends when nothing runs any more", () => {
    const run = cancel(play(graphOf([fn("a"), fn("b"), gate("g")], [after("a", "b")])));
    expect(run.status).toBe("running");
    run.fail("a", { code: "cancelled", retryAt: 5 });
    expect(run.status).toBe("cancelled");
    expect(run.statuses).toEqual({ a: "cancelled", g: "cancelled" });
  });

  test("keeps what was done before its process could be ended", () => {
    const run = cancel(play(graphOf([fn("a"), fn("b")], [after("a", "b")]))).done("a", { x: 1 });
    expect(run.statuses).toEqual({ a: "done" });
    expect(run.status).toBe("cancelled");
  });

  test("does not take answers any more", () => {
    const run = cancel(play(graphOf([gate("g")])));
    run.answer("g", "approve");
    expect(run.statuses).toEqual({ g: "cancelled" });
  });
});

test("nodes that wait for each other end the run instead of leaving it", () => {
  const run = play(graphOf([wire("a"), wire("b")], [flow("a.x", "b.x"), flow("b.x", "a.x")]));
  expect(run.state).toMatchObject({ status: "failed", error: { code: "stuck" } });
});

describe("an event that comes too late changes nothing", () => {
  const late = (execution: string) =>
    ({ type: "node.done", execution, attempt: 1, outputs: { x: 1 } }) as const;

  test("of an attempt that is over", () => {
    const run = play(graphOf([shell("a"), shell("b")]));
    run.fail("a", { retryAt: run.now });
    expect(run.happen(late("a")).execution("a").status).toBe("running");
    run.done("a", { x: 2 });
    expect(run.happen(late("a")).execution("a").outputs).toEqual({ x: 2 });
  });

  test("of a round that its node is not in", () => {
    const run = play(graphOf([shell("a")])).happen(late("a~3"));
    expect(run.statuses).toEqual({ a: "running" });
  });
});

describe("nothing begins that a failure is about to make useless", () => {
  const typed = [testPort("in", { type: "string" })];

  test("when the failure follows without any effect", () => {
    const graph = graphOf(
      [constant("k", 1), fn("a"), wire("w", { inputs: typed })],
      [flow("k.value", "w.in")],
    );
    expect(play(graph).startedIds).toEqual([]);
  });

  test("when another node cannot be carried out with what it got", () => {
    const graph = graphOf(
      [constant("k", 1), fn("a"), fn("b", { inputs: typed })],
      [flow("k.value", "b.in")],
    );
    expect(play(graph).startedIds).toEqual([]);
  });
});

test("W18: large outputs of a run are stored once, and small ones are in its last event too", () => {
  const graph = graphOf([fn("a"), output("all")], [flow("a.x", "all.value")]);
  const end = (x: string) => {
    const run = play(graph).done("a", { x });
    expect(run.state.outputs).toEqual({ all: x });
    return run.events.at(-1)?.event;
  };
  expect(end("few")).toMatchObject({ type: "run.ended", outputs: { all: "few" } });
  expect(end("x".repeat(100_000))).not.toHaveProperty("outputs");
});
