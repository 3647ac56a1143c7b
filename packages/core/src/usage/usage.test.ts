import { expect, test } from "vitest";
import { addUsage, inputTokens, noUsage, subtractUsage, type Usage } from "./usage.ts";

const usage = (
  cachedRead: number | null,
  cachedWrite: number | null,
  uncached: number | null,
  output: number | null,
): Usage => ({
  cachedRead,
  cachedWrite,
  uncached,
  output,
});

test("the usage of attempts is summed", () => {
  expect(addUsage(usage(1, 2, 3, 4), usage(10, 20, 30, 40))).toEqual(usage(11, 22, 33, 44));
  expect(addUsage(noUsage, usage(1, 2, 3, 4))).toEqual(usage(1, 2, 3, 4));
});

test("a running total is turned into the share of the turn", () => {
  expect(subtractUsage(usage(11, 22, 33, 44), usage(1, 2, 3, 4))).toEqual(usage(10, 20, 30, 40));
  expect(subtractUsage(usage(1, 2, 3, 4), null)).toEqual(usage(1, 2, 3, 4));
  expect(subtractUsage(usage(1, 2, 3, 4), usage(1, 2, 3, 4))).toEqual(noUsage);
});

test("a total below the one before stands for itself", () => {
  expect(subtractUsage(usage(0, 0, 50, 5), usage(0, 0, 100, 1))).toEqual(usage(0, 0, 50, 5));
});

test("a kind that is not reported is null, not zero", () => {
  expect(addUsage(usage(1, null, 3, 4), usage(10, null, null, 40))).toEqual(usage(11, null, 3, 44));
  expect(subtractUsage(usage(11, null, 33, 44), usage(1, null, null, 4))).toEqual(
    usage(10, null, 33, 40),
  );
  expect(inputTokens(usage(1, null, 3, null))).toBe(4);
});

test("input is all that was read, cached or not", () => {
  expect(inputTokens(usage(1, 2, 3, 4))).toBe(6);
});
