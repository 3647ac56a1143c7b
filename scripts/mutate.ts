/**
 * `npm run mutate [-- word …]`: takes each protection out of a copy of the code, one at a time, and
 * sees that a test fails. With words, only the mutations whose names contain one of them.
 */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { root } from "./files.ts";
import { type Mutation, mutations } from "./mutations.ts";
import { TreeCopy } from "./tree-copy.ts";

/** The result of a test run; a test that cannot be loaded does not count as failed. */
interface Run {
  readonly passed: number;
  readonly failed: readonly string[];
  /** What the runner said when it could not run a file. */
  readonly problem: string | null;
}

interface JsonReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const chosen = mutations.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  using copy = new TreeCopy();
  const control = await runTests(copy, [...new Set(chosen.flatMap(({ tests }) => tests))]);
  if (control.problem || control.failed.length > 0 || control.passed === 0) {
    console.log(`Not green with nothing taken out: ${control.problem ?? control.failed[0]}`);
    return 1;
  }
  console.log(`${control.passed} tests pass with nothing taken out.\n`);

  let survived = 0;
  for (const mutation of chosen) {
    const began = performance.now();
    const killer = await killerOf(copy, mutation);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${killer.test ? "killed  " : "SURVIVED"} ${mutation.name} (${seconds} s)`);
    console.log(`         ${killer.test ?? killer.problem}`);
    if (killer.test === null) survived += 1;
  }
  console.log(`\n${chosen.length - survived} killed, ${survived} survived`);
  return survived === 0 ? 0 : 1;
}

type Killer = { readonly test: string } | { readonly test: null; readonly problem: string };

/** The first test that fails without what the mutation takes out. */
async function killerOf(copy: TreeCopy, mutation: Mutation): Promise<Killer> {
  const file = copy.path(mutation.file);
  const source = readFileSync(file, "utf8");
  const places = source.split(mutation.find).length - 1;
  if (places !== 1)
    return { test: null, problem: `its text stands ${places} times in ${mutation.file}` };
  try {
    writeFileSync(
      file,
      source.replace(mutation.find, () => mutation.replace),
    );
    const { failed, problem } = await runTests(copy, mutation.tests);
    const [test] = failed;
    return test ? { test } : { test: null, problem: problem ?? "every test passes" };
  } finally {
    writeFileSync(file, source);
  }
}

/** Runs the test files of the copy until the first test fails. */
async function runTests(copy: TreeCopy, tests: readonly string[]): Promise<Run> {
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const output = copy.path(".cache/report.json");
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    [vitest, "run", "--bail=1", "--reporter=json", `--outputFile=${output}`, ...tests],
    { cwd: copy.root, stdio: ["ignore", "pipe", "pipe"] },
  );
  const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join("");
  if (!existsSync(output)) return { passed: 0, failed: [], problem: said };
  const report = JSON.parse(readFileSync(output, "utf8")) as JsonReport;
  const failed = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
  );
  const broken = report.testResults.find(({ status, message }) => status === "failed" && message);
  const problem = failed.length === 0 && !report.success ? (broken?.message ?? said) : null;
  return { passed: report.numPassedTests, failed, problem };
}
