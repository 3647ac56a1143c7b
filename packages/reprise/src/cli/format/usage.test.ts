import { expect, test } from "vitest";
import { turnResult } from "../test-turn.ts";
import { usageText } from "./outcome.ts";

test("tokens by kind, and the time of all attempts", () => {
  const result = turnResult({
    usage: { cachedRead: 1100, cachedWrite: 80, uncached: 24, output: 56 },
    attemptTimes: [
      [1000, 2100],
      [3000, 4000],
    ],
  });
  expect(usageText(result)).toBe("1,204 tokens in (1,100 cached, 80 written) · 56 out · 2.1 s");
});

test("kinds without tokens are left out", () => {
  const usage = { cachedRead: 0, cachedWrite: 0, uncached: 9, output: 1 };
  expect(usageText(turnResult({ usage }))).toBe("9 tokens in · 1 out");
});

test("a turn that was not launched has no usage, however long it took", () => {
  expect(usageText(turnResult({}))).toBeNull();
  const refused = turnResult({ attemptTimes: [[1000, 1001]] });
  const attempts = refused.attempts.map((attempt) => ({ ...attempt, argv: null }));
  expect(usageText({ ...refused, attempts })).toBeNull();
});
