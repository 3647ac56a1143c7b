/** `npm test [-- filter]`: checks, then every test, cheap ones first; ends with the conformance matrix and the count. */

import { createVitest } from "vitest/node";
import { notApplicable } from "../test/conformance/not-applicable.ts";
import { findings } from "../test/findings.ts";
import { check } from "./check.ts";
import { root } from "./files.ts";
import { coverFindings } from "./finding-tests.ts";
import { matrix } from "./matrix.ts";
import { Outcomes, type TestOutcome } from "./outcomes.ts";

const began = performance.now();
const filters = process.argv.slice(2);
const outcomes = new Outcomes();
const vitest = await createVitest({
  root,
  run: true,
  watch: false,
  reporters: ["default", outcomes],
});

const specifications = await vitest.globTestSpecifications(filters);
const withAgents = specifications.filter(({ project }) => project.name === "agents");
const withoutAgents = specifications.filter((specification) => !withAgents.includes(specification));

// The real agents are fetched while everything that does without them is tested.
const agentsInstalled = withAgents.length > 0 ? installAgents() : Promise.resolve([]);
const failedChecks = await check();
await vitest.standalone();
if (withoutAgents.length > 0)
  await vitest.runTestSpecifications(withoutAgents, filters.length === 0);
const missingAgents = await agentsInstalled;
if (withAgents.length > 0) await vitest.runTestSpecifications(withAgents, filters.length === 0);
await vitest.close();

const { all } = outcomes;
const covered = coverFindings(findings, all);
const failures = [
  ...failedChecks.map((name) => `check: ${name}`),
  ...missingAgents,
  ...all.filter(({ state }) => state === "failed").map(withReason),
  // A part of the tests says nothing about the findings that it leaves out.
  ...(filters.length === 0 ? covered.untested.map((id) => `no test of ${id}`) : []),
  ...(all.length === 0
    ? [`no test was run${filters.length > 0 ? `: ${filters.join(" ")}` : ""}`]
    : []),
];
const skipped = all.filter(({ state }) => state === "skipped");
const passed = all.filter(({ state }) => state === "passed");

const report = [
  ...section("Conformance", [matrix(all, notApplicable)]),
  ...section("Findings", filters.length === 0 ? covered.lines : []),
  ...section("Failed", failures),
  ...section("Skipped", skipped.map(withReason)),
  `After ${Math.round((performance.now() - began) / 1000)} s:`,
  `${passed.length} passed, ${failures.length} failed, ${skipped.length} skipped`,
];
process.stdout.write(`${report.join("\n")}\n`, () => process.exit(failures.length === 0 ? 0 : 1));

/** Answers with one sentence per agent that should be there and is not. */
async function installAgents(): Promise<string[]> {
  try {
    const agents = await import("../test/agents/agents.ts");
    const installed = await agents.installAgents();
    return installed.flatMap(({ agent, problem }) => (problem ? [`${agent}: ${problem}`] : []));
  } catch (error) {
    return [`the real agents could not be installed: ${error}`];
  }
}

function nameOf({ group, file, titles }: TestOutcome): string {
  return [group, file, ...titles].filter((part) => part !== "").join(" > ");
}

function withReason(outcome: TestOutcome): string {
  return outcome.reason === undefined ? nameOf(outcome) : `${nameOf(outcome)}: ${outcome.reason}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [title, ...lines, ""] : [];
}
