import { describe, expect, test } from "vitest";
import type { RunEvent } from "./event.ts";
import {
  after,
  agent,
  dock,
  flow,
  fn,
  gate,
  graphOf,
  intoDock,
  loop,
  retryGate,
  testPort,
} from "./test-graph.ts";
import { type Play, play } from "./test-run.ts";

type From = Extract<RunEvent, { type: "run.rerun" }>["from"];

function again(run: Play, from: From): string[] {
  const before = run.starts.length;
  run.happen({ type: "run.rerun", from, by: "ann" });
  return run.startedIds.slice(before);
}
const failed = { what: "failed" } as const;
const start = { what: "start" } as const;
const from = (node: string) => ({ what: "node", node }) as const;

const chain = () =>
  graphOf([agent("a"), agent("b"), agent("c"), agent("aside")], [after("a", "b"), after("b", "c")]);

describe("what failed", () => {
  test("is another attempt of the same execution, in the same session", () => {
    const run = play(chain()).done("a").done("aside").fail("b");
    expect(run.status).toBe("failed");
    expect(again(run, failed)).toEqual(["b#2"]);
    expect(run.state).toMatchObject({ status: "running", error: null, endedAt: null });
    expect(run.agentWork("b").session).toMatchObject({ key: "wf:r1:agent:b", how: "continue" });
    expect(run.execution("b").failures).toBe(0);
    run.done("b").done("c");
    expect(run.startedIds).toEqual(["a", "aside", "b", "b#2", "c"]);
    expect(run.status).toBe("done");
  });

  test("continues in the iteration of the loop, after which the loop continues", () => {
    const graph = graphOf(
      [
        loop("l", { docks: [dock("stop", "until")] }),
        fn("a", { parent: "l" }),
        fn("b", { parent: "l" }),
        fn("end"),
      ],
      [after("a", "b"), intoDock("b.ok", "l.stop"), after("l", "end")],
    );
    const run = play(graph).done("l/1/a").done("l/1/b", { ok: false }).done("l/2/a").fail("l/2/b");
    expect(again(run, failed)).toEqual(["l/2/b#2"]);
    expect(run.execution("l")).toMatchObject({ status: "running", attempt: 2, entry: 1 });
    run.done("l/2/b", { ok: true }).done("end");
    expect(run.status).toBe("done");
    expect(run.execution("l").outputs).toEqual({ iterations: 2, ended: "condition" });
  });

  test("takes up what was skipped because of it", () => {
    const graph = graphOf(
      [
        fn("a", { onError: "skip" }),
        fn("b", { inputs: [testPort("in", { required: true })] }),
        fn("x"),
      ],
      [flow("a.v", "b.in")],
    );
    const run = play(graph).fail("a").fail("x");
    expect(again(run, failed)).toEqual(["a#2", "x#2"]);
    run.done("a", { v: 1 }).done("x");
    expect(run.startedIds.at(-1)).toBe("b~1");
  });

  test("a failure that was taken as a value stays", () => {
    const run = play(graphOf([fn("a", { onError: "continue" }), fn("b")], [after("a", "b")]));
    run.fail("a").fail("b");
    expect(again(run, failed)).toEqual(["b#2"]);
  });

  test("what comes after something that failed waits for it", () => {
    const graph = graphOf(
      [fn("a", { onError: "skip" }), fn("b"), fn("c")],
      [flow("a.v", "c.in"), after("b", "c")],
    );
    const run = play(graph).fail("a").done("b").fail("c");
    expect(again(run, failed)).toEqual(["a#2"]);
    run.done("a");
    expect(run.startedIds.at(-1)).toBe("c~1");
  });

  test("a gate is opened anew", () => {
    const run = play(graphOf([gate("g", { onReject: "fail" }), fn("a")], [after("g", "a")]));
    run.answer("g", "reject");
    expect(run.status).toBe("failed");
    again(run, failed);
    expect(run.status).toBe("waiting");
    run.answer("g~1", "approve");
    expect(run.startedIds).toEqual(["a"]);
  });

  test("a retry gate that gave up tries again", () => {
    const graph = graphOf(
      [fn("a"), retryGate("g", "a", { maxRetries: 1, onMaximum: "fail" })],
      [flow("a.ok", "g.ok")],
    );
    const run = play(graph).done("a", { ok: false }).done("a~1", { ok: false });
    expect(run.status).toBe("failed");
    expect(again(run, failed)).toEqual(["a~2"]);
    run.done("a~2", { ok: true });
    expect(run.status).toBe("done");
  });

  test("a loop that failed by itself begins anew in the same entry", () => {
    const graph = graphOf(
      [loop("l", { docks: [dock("stop", "until")] }), fn("a", { parent: "l" })],
      [intoDock("a.ok", "l.stop")],
    );
    const run = play(graph).done("l/1/a", { ok: "maybe" });
    expect(again(run, failed)).toEqual(["l~1/1/a"]);
    expect(run.execution("l~1")).toMatchObject({ type: "loop", entry: 1 });
  });
});

test("what was cancelled continues where it was", () => {
  const graph = graphOf([loop("l"), fn("a", { parent: "l" }), fn("b"), gate("g")]);
  const run = play(graph).happen({ type: "run.cancelling", by: null });
  run.fail("l/1/a", { code: "cancelled" }).fail("b", { code: "cancelled" });
  expect(run.status).toBe("cancelled");
  expect(again(run, failed)).toEqual(["l/1/a#2", "b#2"]);
  expect(run.statuses).toMatchObject({ l: "running", "g~1": "waiting" });
});

describe("from a node", () => {
  test("it and what is downstream of it, in another round", () => {
    const run = play(chain()).done("a").done("b").done("c").done("aside");
    expect(again(run, from("b"))).toEqual(["b~1"]);
    run.done("b~1").done("c~1");
    expect(run.status).toBe("done");
    expect(run.startedIds).toEqual(["a", "aside", "b", "c", "b~1", "c~1"]);
  });

  test("what failed elsewhere continues too", () => {
    const run = play(chain()).done("a").done("b").fail("aside").done("c");
    expect(again(run, from("b"))).toEqual(["aside#2", "b~1"]);
  });

  test("inside a loop: in its last iteration, then what comes after the loop", () => {
    const graph = graphOf(
      [
        loop("l", { maxIterations: 2 }),
        fn("a", { parent: "l" }),
        fn("b", { parent: "l" }),
        fn("end"),
      ],
      [after("a", "b"), after("l", "end")],
    );
    const run = play(graph).done("l/1/a").done("l/1/b").done("l/2/a").done("l/2/b").done("end");
    expect(again(run, from("b"))).toEqual(["l/2/b~1"]);
    run.done("l/2/b~1");
    expect(run.startedIds.at(-1)).toBe("end~1");
  });

  test("in a loop that never began: the loop", () => {
    const graph = graphOf(
      [fn("x"), loop("l", { maxIterations: 1 }), fn("a", { parent: "l" })],
      [after("x", "l")],
    );
    const run = play(graph).fail("x");
    expect(again(run, from("a"))).toEqual(["x#2"]);
    run.done("x");
    expect(run.startedIds.at(-1)).toBe("l/1/a");
  });
});

test("from the start: everything, with nothing left of retries", () => {
  const graph = graphOf([fn("a"), retryGate("g", "a", { maxRetries: 1 })], [flow("a.ok", "g.ok")]);
  const run = play(graph).done("a", { ok: false }).done("a~1", { ok: false });
  expect(again(run, start)).toEqual(["a~2"]);
  run.done("a~2", { ok: false });
  expect(run.startedIds.at(-1)).toBe("a~3");
  run.done("a~3", { ok: true });
  expect(run.state.status).toBe("done");
});

test("a run that has not ended is not rerun", () => {
  const run = play(chain());
  expect(again(run, start)).toEqual([]);
});
