/** The conformance matrix, from the outcomes of tests to the marks of its cells. */

import { expect, test } from "vitest";
import { matrix } from "../../scripts/matrix.ts";
import type { TestOutcome } from "../../scripts/outcomes.ts";

const ended = (state: TestOutcome["state"], ...titles: string[]): TestOutcome => ({
  group: "conformance",
  file: "a.test.ts",
  titles,
  state,
});

test("a cell fails with one of its tests, and is ok, skipped, excused or not covered otherwise; each store has its own", () => {
  const shown = matrix(
    [
      ended("passed", "C01/scripted: one"),
      ended("passed", "C01/codex: one"),
      ended("failed", "C01/codex: two"),
      ended("skipped", "C01/gemini: one"),
      { ...ended("failed", "C02/scripted: one"), group: "postgres" },
      ended("passed", "C02/scripted: one"),
      ended("passed", "a suite", "C02/claude: one"),
      ended("skipped", "a suite", "C02/claude: two"),
      ended("passed", "mentions C03/claude: in the middle"),
    ],
    [{ number: "C01", provider: "openclaw", reason: "it has no such thing" }],
  );
  const row = (number: string) =>
    shown
      .split("\n")
      .find((line) => line.startsWith(number))
      ?.split(/ {2,}/);
  expect(row("C01")).toEqual([
    "C01 coupling",
    "ok",
    "·",
    "·",
    "FAIL",
    "–",
    "·",
    "·",
    "·",
    "n/a",
    "·",
  ]);
  expect(row("C02")?.slice(1)).toEqual(["ok", "FAIL", "ok", ..."·······"]);
  expect(row("C03")?.slice(1)).toEqual(Array(10).fill("·"));
  expect(row("C24")).toHaveLength(11);
  expect(shown).toContain("n/a C01/openclaw: it has no such thing");
});
