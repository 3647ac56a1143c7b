/** Which tests show that a finding is fixed, read from titles such as `W1: …` or `W1 C25/claude: …`. */

import type { TestOutcome } from "./outcomes.ts";
import { titleMarks } from "./title-marks.ts";

export interface FindingTests {
  /** One line for each finding: its id, how many of its tests passed, its sentence, and their files. */
  readonly lines: readonly string[];
  /** Findings without a test, or whose tests were all skipped. */
  readonly untested: readonly string[];
}

export function coverFindings(
  findings: Readonly<Record<string, string>>,
  outcomes: readonly TestOutcome[],
): FindingTests {
  const tests = new Map<string, TestOutcome[]>();
  for (const outcome of outcomes)
    for (const id of new Set(outcome.titles.flatMap(titleMarks)))
      tests.set(id, [...(tests.get(id) ?? []), outcome]);
  const ids = Object.keys(findings);
  return {
    lines: ids.map((id) => lineOf(id, findings[id]!, tests.get(id) ?? [])),
    untested: ids.filter((id) => !tests.get(id)?.some(({ state }) => state !== "skipped")),
  };
}

function lineOf(id: string, sentence: string, tests: readonly TestOutcome[]): string {
  const passed = tests.filter(({ state }) => state === "passed").length;
  const files = [...new Set(tests.map(({ file }) => file))].join(", ");
  return `${id.padEnd(4)} ${passed} of ${tests.length} passed  ${sentence}  ${files || "no test"}`;
}
