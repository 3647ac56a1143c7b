/** How runs are printed: what is left out when space is short, and one event per line. */

import type { ExecutionView, RunView } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { channel } from "../cli.ts";
import { testSurroundings } from "../test-surroundings.ts";
import { eventLine, executionLines, runHeadline } from "./run.ts";
import { textWidth } from "./text.ts";

const out = channel(testSurroundings().stdout, {}, false);

function execution(id: string, more: Partial<ExecutionView> = {}): ExecutionView {
  const parts = id.split("/");
  return {
    id,
    node: parts.at(-1)!,
    label: id,
    type: "function",
    iterations: parts.length === 3 ? [Number(parts[1])] : [],
    round: 0,
    attempt: 1,
    status: "done",
    outputs: {},
    error: null,
    because: null,
    warnings: [],
    session: null,
    turn: null,
    outcome: null,
    tokens: null,
    denied: [],
    item: null,
    startedAt: 0,
    endedAt: 1000,
    ...more,
  };
}

const going = { status: "running", endedAt: null } as const;

test("the nodes of a loop follow it, and a loop shows its iterations", () => {
  const loop = { type: "loop", outputs: { iterations: 2, ended: "maximum" } };
  const executions = [
    execution("review", loop),
    execution("other"),
    execution("review/1/coder", { type: "agent", outcome: "blank", tokens: 1200 }),
    execution("review/2/coder", { type: "agent", outcome: "resume", attempt: 2 }),
    execution("last", { type: "output" }),
  ];
  expect(executionLines(out, { executions }, 2000)).toEqual([
    "✓ review · 1.0 s · 2 iterations, its maximum",
    "  ✓ 1/coder · blank · 1,200 tokens · 1.0 s",
    "  ✓ 2/coder · resume · attempt 2 · 1.0 s",
    "✓ other",
  ]);
});

test("when space is short, running nodes stay and those that ended first are left out", () => {
  const executions = [
    execution("slow", going),
    ...[1, 2, 3, 4].map((number) => execution(`n${number}`)),
    execution("next", going),
  ];
  const lines = (most: number) => executionLines(out, { executions }, 2000, { most });
  expect(lines(6)).toHaveLength(6);
  expect(lines(4)).toEqual([
    "… 2 more lines",
    "● slow · running",
    "✓ n3",
    "✓ n4",
    "● next · running",
  ]);
  expect(lines(1)).toEqual(["… 5 more lines", "● next · running"]);
});

test("on a narrow terminal names and ids are shortened and the state stays", () => {
  const narrow = channel(testSurroundings({ columns: 40 }).stdout, {}, false);
  const run: RunView = {
    id: "0123456789abcdefghij",
    workflow: "A rather long name of a workflow 日本語",
    path: null,
    status: "running",
    stalled: false,
    error: null,
    startedAt: 0,
    updatedAt: 0,
    endedAt: null,
  };
  expect(runHeadline(out, run, 2000)).toBe(
    "A rather long name of a workflow 日本語 · 0123456789abcdefghij · running · 2.0 s",
  );
  const name = "a-name-that-is-wider-than-forty-columns-are";
  const executions = [execution(name, going), execution("short", going)];
  const lines = [runHeadline(narrow, run, 2000), ...executionLines(narrow, { executions }, 2000)];
  expect(lines).toEqual([
    expect.stringMatching(/^A rather…? .*· 01.*…\w+ · running · 2\.0 s$/),
    "● a-name-that-is-wid…-forty-columns-are",
    "● short · running",
  ]);
  expect(Math.max(...lines.map(textWidth))).toBeLessThan(40);
});

test("an event is printed with its important fields, and without control characters", () => {
  const event = (type: string, data: unknown) =>
    eventLine(out, { seq: 1, stream: "run:r1", streamSeq: 1, type, data, at: 0 }).slice(21);
  expect(event("run.started", { workflow: "Fix" })).toBe("run.started     r1 · Fix");
  expect(event("gate.opened", { execution: "ask", item: "k3v9m2xqaaaa" })).toBe(
    "gate.opened     ask · reprise inbox k3v9m2xq",
  );
  expect(event("gate.answered", { execution: "ask", choice: "approve", by: "ana" })).toBe(
    "gate.answered   ask · approve by ana",
  );
  const error = { message: "It broke.\n\u001b[2Jreally" };
  expect(event("node.failed", { execution: "a", error, retryAt: 1500 })).toBe(
    "node.failed     a · It broke. \\u001b[2Jreally · again in 1.5 s",
  );
});

test("W18: a huge error or answer is shown by its beginning and its end", () => {
  const message = `It broke: ${"x".repeat(100_000)} at the end.`;
  const error = { code: "broken", message, hint: "" };
  const [line] = executionLines(
    out,
    { executions: [execution("a", { status: "failed", error })] },
    2000,
  );
  expect(line).toMatch(/^✗ a · failed · It broke: x+…x+ at the end\.$/);
  expect(line!.length).toBeLessThan(400);
  const data = { execution: "a", error };
  const event = eventLine(out, {
    seq: 1,
    stream: "run:r1",
    streamSeq: 1,
    type: "node.failed",
    data,
    at: 0,
  });
  expect(event.length).toBeLessThan(400);
});
