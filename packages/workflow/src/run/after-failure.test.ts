import { expect, test } from "vitest";
import { afterFailure } from "./after-failure.ts";
import { agent, fn, shell } from "./test-graph.ts";

const retry = { max: 4, backoff: 100, maxBackoff: 300 };

test.each([
  [0, 100],
  [1, 200],
  [2, 300],
  [3, 300],
  [4, null],
])("after %i failures it is tried again in %s ms", (failures, delay) => {
  expect(afterFailure(fn("a", { retry }), failures, "transient")).toBe(delay);
});

test.each([
  ["usage", null],
  ["cancelled", null],
  ["terminal", 100],
  ["timed-out", 100],
] as const)("%s: %s", (kind, delay) => {
  expect(afterFailure(fn("a", { retry }), 0, kind)).toBe(delay);
});

test("without a policy nothing is tried again", () => {
  expect(afterFailure(fn("a"), 0, "transient")).toBeNull();
});

test("what was interrupted goes by onInterrupted alone", () => {
  expect(afterFailure(agent("a"), 9, "interrupted")).toBe(0);
  expect(afterFailure(shell("s", "true", { retry }), 0, "interrupted")).toBeNull();
});
