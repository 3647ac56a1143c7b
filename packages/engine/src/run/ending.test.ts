import type { GraphNode, OnInterrupted } from "@reprise/workflow/graph";
import type { FailureKind } from "@reprise/workflow/run/after-failure";
import { fn, testPort } from "@reprise/workflow/run/test-graph";
import { expect, test } from "vitest";
import { endEvent } from "./ending.ts";
import type { WorkEnd } from "./work/work.ts";

const error = { code: "exit-code", message: "It ended with 1.", hint: "Look at stderr." };

function failed(kind: FailureKind, retryAt: number | null = null): WorkEnd {
  return { type: "failed", kind, error, outputs: { exitCode: 1 }, retryAt };
}

function retryAt(
  end: WorkEnd,
  {
    failures = 0,
    random = 0.5,
    onInterrupted = "fail" as OnInterrupted,
    retry = { max: 2, backoff: 1000, maxBackoff: 1500 } as GraphNode["retry"],
  } = {},
): number | null {
  const node = { type: "shell", retry, onInterrupted } as GraphNode;
  const execution = { id: "build", attempt: failures + 1, failures };
  const event = endEvent(end, { node, execution, now: 10_000, random });
  if (event?.type !== "node.failed") throw new Error(`not failed: ${event?.type}`);
  return event.retryAt;
}

test("a failure is tried again after a pause that doubles up to its maximum", () => {
  expect(retryAt(failed("terminal"))).toBe(11_000);
  expect(retryAt(failed("transient"), { failures: 1 })).toBe(11_500);
  expect(retryAt(failed("timed-out"), { failures: 2 })).toBeNull();
  expect(retryAt(failed("terminal"), { retry: null })).toBeNull();
});

test("the pause varies by a quarter", () => {
  expect(retryAt(failed("terminal"), { random: 0 })).toBe(10_750);
  expect(retryAt(failed("terminal"), { random: 1 })).toBe(11_250);
});

test("a mistake of the caller and a cancelled node are not tried again", () => {
  expect(retryAt(failed("usage"))).toBeNull();
  expect(retryAt(failed("cancelled"))).toBeNull();
});

test("a node that says what happens when it is interrupted is not counted for it", () => {
  expect(retryAt(failed("interrupted"))).toBeNull();
  expect(retryAt(failed("interrupted"), { onInterrupted: "rerun", retry: null })).toBe(10_000);
  expect(retryAt(failed("interrupted"), { onInterrupted: "continue", failures: 9 })).toBe(10_000);
});

test("the other side's own time is waited for, unless it is later than one would ever wait", () => {
  expect(retryAt(failed("transient", 11_400))).toBe(11_400);
  expect(retryAt(failed("transient", 10_001))).toBe(11_000);
  expect(retryAt(failed("transient", 11_501))).toBeNull();
});

test("what it emits is written down, and what is left is not", () => {
  const node = fn("sum");
  const execution = { id: "loop/2/sum~1", attempt: 3, failures: 0 };
  const context = { node, execution, now: 1, random: 0 };
  const done = { type: "done", outputs: { sum: 3 }, outcome: "resume", tokens: 12 } as const;
  expect(endEvent(done, context)).toEqual({
    type: "node.done",
    execution: "loop/2/sum~1",
    attempt: 3,
    outputs: { sum: 3 },
    outcome: "resume",
    tokens: 12,
  });
  expect(endEvent({ type: "waiting", turn: "t1" }, context)).toEqual({
    type: "node.waiting",
    execution: "loop/2/sum~1",
    attempt: 3,
    turn: "t1",
  });
  expect(endEvent({ type: "left" }, context)).toBeNull();
});

test("what it gives is held against what it says that it gives", () => {
  const retry = { max: 1, backoff: 1000, maxBackoff: 1000 };
  const node = fn("sum", { retry, outputs: [testPort("sum", { type: "number" })] });
  const execution = { id: "sum", attempt: 1, failures: 0 };
  const context = { node, execution, now: 1, random: 0.5 };
  expect(endEvent({ type: "done", outputs: { sum: "3" } }, context)).toMatchObject({
    type: "node.failed",
    error: { code: "wrong-type" },
    outputs: { sum: "3", success: false },
    retryAt: 1001,
  });
});
