import { describe, expect, test } from "vitest";
import type { RetryGateNode } from "../graph.ts";
import {
  after,
  agent,
  back,
  flow,
  fn,
  gate,
  graphOf,
  loop,
  output,
  retryGate,
  shell,
  testPort,
  wire,
} from "./test-graph.ts";
import { Play, play } from "./test-run.ts";

/** plan → coder → review, test → gate → publish; what stands beside is not downstream of the coder. */
function pipeline(more: Partial<RetryGateNode> = {}) {
  const checks = ["reviewed", "tested"];
  const feedback = ["review", "report"];
  return graphOf(
    [
      fn("plan"),
      agent("coder"),
      agent("review"),
      shell("test", "npm test", { onError: "continue" }),
      retryGate("gate", "coder", {
        checks,
        feedback,
        inputs: checks.map((name) => testPort(name, { type: "boolean" })),
        ...more,
      }),
      output("passed"),
    ],
    [
      flow("plan.text", "coder.input"),
      flow("coder.output", "review.input"),
      after("coder", "test"),
      flow("review.ok", "gate.reviewed"),
      flow("review.text", "gate.review"),
      flow("test.success", "gate.tested"),
      flow("test.output", "gate.report"),
      back("gate.retry_feedback", "coder.feedback"),
      flow("gate.passed", "passed.value"),
    ],
  );
}

describe("C17: a retry gate", () => {
  const firstRound = (ok: boolean, success: boolean) => {
    const run = play(pipeline());
    run.done("plan", { text: "the plan" }).done("coder", { output: "v1" });
    run.done("review", { ok, text: "shorter" });
    if (success) run.done("test", { success: true, output: "all green" });
    else run.fail("test", { outputs: { output: "2 red" } });
    return run;
  };

  test("passes when every check is true", () => {
    const run = firstRound(true, true);
    expect(run.status).toBe("done");
    expect(run.execution("gate").outputs).toEqual({
      passed: true,
      retry_feedback: null,
      retry_count: 0,
    });
  });

  test.each([
    [false, true, "shorter"],
    [true, false, "2 red"],
    [false, false, "review did not pass:\nshorter\n\ntest did not pass:\n2 red"],
  ])(
    "reviewed %s, tested %s: the target again, with the feedback of what failed",
    (ok, tested, said) => {
      const run = firstRound(ok, tested);
      expect(run.startedIds.at(-1)).toBe("coder~1");
      const { prompt, session, inputs } = run.agentWork("coder~1");
      expect(inputs).toMatchObject({ input: "the plan", feedback: said });
      expect(prompt).toContain(`<reprise:data>\n${said}\n</reprise:data>`);
      expect(session).toMatchObject({ key: "wf:r1:agent:coder", how: "continue" });
      expect(run.agentWork("coder").inputs.feedback).toBeNull();
    },
  );

  test("only what is downstream of the target runs again, the checks included", () => {
    const run = firstRound(false, true).done("coder~1").done("review~1", { ok: true });
    run.done("test~1", { success: true });
    expect(run.startedIds).toEqual([
      "plan",
      "coder",
      "review",
      "test",
      "coder~1",
      "review~1",
      "test~1",
    ]);
    expect(run.status).toBe("done");
    expect(run.state.outputs).toEqual({ passed: true });
    expect(run.execution("gate~1").outputs).toEqual({
      passed: true,
      retry_feedback: "shorter",
      retry_count: 1,
    });
    expect(run.execution("gate").outputs.passed).toBe(false);
  });

  test.each([
    ["done", "done", { passed: false }],
    ["fail", "failed", {}],
  ] as const)("stops at the maximum: %s", (onMaximum, status, outputs) => {
    const run = play(pipeline({ maxRetries: 2, onMaximum })).done("plan");
    for (const round of ["", "~1", "~2"])
      run
        .done(`coder${round}`)
        .done(`review${round}`, { ok: false, text: `no${round}` })
        .done(`test${round}`, { success: true });
    expect(run.state).toMatchObject({ status, outputs });
    expect(run.startedIds.filter((id) => id.startsWith("coder"))).toHaveLength(3);
    if (onMaximum === "fail") expect(run.state.error?.code).toBe("retries-used-up");
    else
      expect(run.execution("gate~2").outputs).toMatchObject({
        retry_feedback: "no~2",
        retry_count: 2,
      });
  });

  test("survives a restart in the middle", () => {
    const run = firstRound(false, true);
    run.crash();
    run.done("coder~1");
    run.crash();
    run.done("review~1", { ok: true }).done("test~1", { success: true });
    expect(run.startedIds.filter((id) => id === "coder~1")).toHaveLength(1);
    expect(run.status).toBe("done");
  });

  test("a missing check does not pass, and one that is not a boolean fails the gate", () => {
    const run = play(pipeline())
      .done("plan")
      .done("coder")
      .done("review")
      .done("test", { success: true });
    expect(run.startedIds.at(-1)).toBe("coder~1");
    const wrong = play(pipeline()).done("plan").done("coder").done("review", { ok: "yes" });
    wrong.done("test", { success: true });
    expect(wrong.state.error?.code).toBe("wrong-type");
  });
});

describe("what else is downstream of the target", () => {
  const edges = [
    after("coder", "check"),
    flow("check.ok", "gate.ok"),
    after("coder", "slow"),
    after("slow", "slower"),
  ];
  const nodes = [agent("coder"), fn("check"), retryGate("gate", "coder"), fn("slow"), fn("slower")];

  test("is let end before the retry, and nothing more of it begins", () => {
    const run = play(graphOf(nodes, edges)).done("coder").done("check", { ok: false });
    expect(run.startedIds).toEqual(["coder", "check", "slow"]);
    run.done("slow");
    expect(run.startedIds).toEqual(["coder", "check", "slow", "coder~1"]);
    run.done("coder~1").done("check~1", { ok: true }).done("slow~1").done("slower");
    expect(run.status).toBe("done");
  });

  test("a person is waited for", () => {
    const human = nodes.map((node) => (node.id === "slow" ? gate("slow") : node));
    const run = play(graphOf(human, edges)).done("coder").done("check", { ok: false });
    expect(run.status).toBe("waiting");
    run.answer("slow", "approve");
    expect(run.startedIds.at(-1)).toBe("coder~1");
  });

  test("is let end also when it began in the moment in which the retry was decided", () => {
    const graph = graphOf(
      [
        wire("target"),
        wire("w"),
        retryGate("gate", "target", { maxRetries: 1 }),
        loop("l", { maxIterations: 1 }),
        fn("a", { parent: "l" }),
      ],
      [flow("target.x", "w.x"), flow("w.ok", "gate.ok"), after("target", "l")],
    );
    for (const shuffle of [() => 0, (count: number) => count - 1]) {
      const run = new Play(graph, {}, { shuffle });
      expect(run.statuses).toMatchObject({ l: "running", "l/1/a": "running" });
      expect(run.state.executions.has("gate")).toBe(false);
      run.done("l/1/a").done("l~1/1/a");
      expect(run.status).toBe("rejected");
    }
  });

  test("a loop of it begins anew, in the same entry", () => {
    const graph = graphOf(
      [
        agent("coder"),
        loop("l", { maxIterations: 1 }),
        agent("a", { parent: "l", session: { name: "s", scope: "run" } }),
        fn("check"),
        retryGate("gate", "coder"),
      ],
      [after("coder", "l"), after("l", "check"), flow("check.ok", "gate.ok")],
    );
    const run = play(graph)
      .done("coder")
      .done("l/1/a")
      .done("check", { ok: false })
      .done("coder~1");
    expect(run.execution("l~1")).toMatchObject({ entry: 1, iteration: 1 });
    expect(run.key("l~1/1/a")).toBe("wf:r1:agent:s");
    expect(run.agentWork("l~1/1/a").session.how).toBe("continue");
  });
});

test("two gates on one target do not give each other retries", () => {
  const graph = graphOf(
    [
      agent("coder"),
      retryGate("one", "coder", { maxRetries: 1, onMaximum: "done" }),
      retryGate("two", "coder", { maxRetries: 1, onMaximum: "done" }),
    ],
    [flow("coder.a", "one.ok"), flow("coder.b", "two.ok"), after("one", "two")],
  );
  const run = play(graph);
  for (const round of ["", "~1", "~2"]) run.done(`coder${round}`, { a: false, b: false });
  expect(run.status).toBe("done");
});

test("two retries in one moment come to the same in any order", () => {
  const graph = graphOf(
    [fn("x"), wire("t"), wire("w"), retryGate("one", "t"), retryGate("two", "x")],
    [flow("x.ok", "t.ok"), flow("x.ok", "w.ok"), flow("t.ok", "one.ok"), flow("w.ok", "two.ok")],
  );
  const [first, last] = [() => 0, (count: number) => count - 1].map((shuffle) =>
    new Play(graph, {}, { shuffle }).done("x", { ok: false }),
  );
  expect(last?.startedIds).toEqual(["x", "x~1"]);
  expect(last?.statuses).toEqual(first?.statuses);
  expect(last?.state.frames.get("")?.retries).toEqual(first?.state.frames.get("")?.retries);
});
