/** The list of findings, from the outcomes of tests to the findings that no test shows. */

import { expect, test } from "vitest";
import { coverFindings } from "../../scripts/finding-tests.ts";
import type { TestOutcome } from "../../scripts/outcomes.ts";
import { titleMarks } from "../../scripts/title-marks.ts";

const ended = (state: TestOutcome["state"], ...titles: string[]): TestOutcome => ({
  group: "unit",
  file: "a.test.ts",
  titles,
  state,
});

test("a title can begin with ids and cells, and with nothing else", () => {
  expect(titleMarks("W1: one")).toEqual(["W1"]);
  expect(titleMarks("S0c W1 C25/claude: one")).toEqual(["S0c", "W1", "C25/claude"]);
  expect(titleMarks("a gate W1: one")).toEqual([]);
  expect(titleMarks("W1 is fixed: one")).toEqual([]);
});

test("a finding is shown by a test of its own or of a suite, and not by one that was skipped", () => {
  const { lines, untested } = coverFindings({ W1: "One.", W2: "Two.", W3: "Three.", W4: "Four." }, [
    ended("passed", "W1 C25/claude: a"),
    ended("failed", "W1: b"),
    ended("passed", "W2: a suite", "a"),
    ended("skipped", "W3: a"),
  ]);
  expect(untested).toEqual(["W3", "W4"]);
  expect(lines[0]).toBe("W1   1 of 2 passed  One.  a.test.ts");
  expect(lines[3]).toBe("W4   0 of 0 passed  Four.  no test");
});
