import { describe, expect, test } from "vitest";
import type { GateNode } from "../graph.ts";
import { parseTemplate } from "../template.ts";
import { isWaiting, waitsFor } from "./status.ts";
import { after, agent, constant, flow, fn, gate, graphOf, loop, testPort } from "./test-graph.ts";
import { play } from "./test-run.ts";

function gated(more: Partial<GateNode> = {}) {
  return graphOf(
    [agent("coder"), gate("g", more), fn("next", { inputs: [testPort("in")] })],
    [flow("coder.output", "g.input"), flow("g.output", "next.in"), after("g", "next")],
  );
}

test("is opened with its texts, and holds every session so far", () => {
  const title = parseTemplate("Release {{ input }}?");
  const run = play(gated({ title, deadline: 5000 })).done("coder", { output: "v1" });
  expect(run.opened).toMatchObject([
    { title: "Release v1?", message: null, deadline: 5000, sessions: ["wf:r1:agent:coder"] },
  ]);
  expect(run.status).toBe("waiting");
  expect(waitsFor(run.state)).toEqual(["item-1"]);
});

test("passes its input on, with what was answered", () => {
  const fields = [
    { name: "risk", label: "Risk", type: "string", choices: [], required: true },
    { name: "level", label: "Level", type: "number", choices: [], required: false, default: 1 },
  ] as const;
  const run = play(gated({ fields })).done("coder", { output: "v1" });
  run.answer("g", "approve", { values: { risk: "low" }, comment: "fine" });
  expect(run.execution("g").outputs).toEqual({
    output: "v1",
    choice: "approve",
    approved: true,
    comment: "fine",
    by: "ann",
    values: { risk: "low" },
    risk: "low",
    level: 1,
  });
  expect(run.work("next")).toMatchObject({ inputs: { in: "v1" } });
});

test.each([
  ["skip", { g: "done", next: "skipped" }, "rejected"],
  ["continue", { g: "done", next: "running" }, "running"],
  ["fail", { g: "failed" }, "failed"],
] as const)("rejected, onReject: %s", (onReject, statuses, status) => {
  const run = play(gated({ onReject })).done("coder").answer("g", "reject", { comment: "no" });
  expect(run.statuses).toMatchObject(statuses);
  expect(run.status).toBe(status);
  expect(run.execution("g").outputs).toMatchObject({ approved: false, choice: "reject" });
  if (status === "failed")
    expect(run.state.error).toMatchObject({
      code: "rejected",
      message: 'g failed: Gate "g" was answered with "reject" by ann: no',
    });
});

describe("its deadline", () => {
  const expired = (more: Partial<GateNode>) =>
    play(gated(more))
      .done("coder", { output: "v1" })
      .happen({ type: "gate.expired", execution: "g", item: "item-1" });

  test("answers with a choice", () => {
    const run = expired({ onDeadline: { choice: "approve" } });
    expect(run.execution("g").outputs).toMatchObject({ approved: true, by: null, output: "v1" });
    expect(run.startedIds.at(-1)).toBe("next");
  });

  test("fails the gate, whose onError decides", () => {
    const failed = expired({}).state;
    expect(failed).toMatchObject({
      status: "failed",
      error: {
        code: "deadline-passed",
        hint: `Ask again with reprise.runs.rerun({ run: "${failed.id}" }).`,
      },
    });
    const run = expired({ onError: "continue" });
    expect(run.execution("g").outputs).toMatchObject({ success: false });
    expect(run.startedIds.at(-1)).toBe("next");
  });
});

test("is answered once: what comes later, or for another item, changes nothing", () => {
  const run = play(gated({ onReject: "fail" })).done("coder");
  const answer = {
    type: "gate.answered",
    execution: "g",
    by: "bob",
    comment: null,
    values: {},
  } as const;
  run.happen({ ...answer, item: "item-9", choice: "reject" });
  expect(run.status).toBe("waiting");
  run.answer("g", "approve").happen({ ...answer, item: "item-1", choice: "reject" });
  expect(run.execution("g").outputs).toMatchObject({ approved: true, by: "ann" });
});

test("has an item for each iteration", () => {
  const graph = graphOf([loop("l", { maxIterations: 2 }), gate("g", { parent: "l" })]);
  const run = play(graph).answer("l/1/g", "approve");
  expect([run.item("l/1/g"), run.item("l/2/g")]).toEqual(["item-1", "item-2"]);
});

test("a gate that gets the wrong type is not opened", () => {
  const inputs = [testPort("input", { type: "string" })];
  const run = play(
    graphOf([constant("k", 1), gate("g", { inputs })], [flow("k.value", "g.input")]),
  );
  expect(run.opened).toEqual([]);
  expect(run.state.error?.code).toBe("wrong-type");
});

describe("a run waits", () => {
  test("for a person only when nothing else can move", () => {
    const run = play(graphOf([gate("g"), fn("a")]));
    expect(run.status).toBe("running");
    run.fail("a", { retryAt: run.now + 100 });
    expect(isWaiting(run.graph, run.state)).toBe(false);
    run.now += 100;
    run.follow();
    run.done("a");
    expect(isWaiting(run.graph, run.state)).toBe(true);
  });

  test("for the answer to an agent, and continues with it", () => {
    const run = play(graphOf([agent("a")]));
    const turn = { execution: "a", attempt: 1, turn: "turn-1" } as const;
    run.happen({ type: "node.waiting", ...turn });
    expect(run.status).toBe("waiting");
    expect(waitsFor(run.state)).toEqual(["turn-1"]);
    run.happen({ type: "node.answered", ...turn, by: "ann" });
    expect(run.status).toBe("running");
    run.happen({ type: "node.asked", ...turn, turn: "turn-2" });
    expect(run.execution("a")).toMatchObject({ turns: ["turn-1", "turn-2"] });
    run.done("a");
    expect(run.status).toBe("done");
  });
});

test("in a loop that fails beside it, is not waited for", () => {
  const graph = graphOf(
    [
      loop("l", { onError: "continue" }),
      gate("g", { parent: "l" }),
      fn("a", { parent: "l" }),
      fn("next"),
    ],
    [after("l", "next")],
  );
  const run = play(graph).fail("l/1/a");
  expect(run.statuses).toMatchObject({ l: "failed", "l/1/g": "cancelled", next: "running" });
});

test("an agent that asks in a loop that failed is not waited for either", () => {
  const graph = graphOf([
    loop("l", { onError: "continue" }),
    fn("a", { parent: "l" }),
    agent("b", { parent: "l" }),
  ]);
  const run = play(graph).fail("l/1/a");
  expect(run.execution("l").status).toBe("running");
  run.happen({ type: "node.waiting", execution: "l/1/b", attempt: 1, turn: "turn-2" });
  expect(run.statuses).toMatchObject({ l: "failed", "l/1/b": "cancelled" });
});
