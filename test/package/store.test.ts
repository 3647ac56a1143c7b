/** The store suite of docs/library.md, run with the packed package by vitest in a project outside of this repository. */

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { root } from "../../scripts/files.ts";
import { install } from "./installed.ts";

const { folder, project } = install(inject("tarball"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(root, "node_modules/vitest"), join(project, "node_modules/vitest"));

const page = readFileSync(join(root, "docs/library.md"), "utf8");
const program = /^```js store\.test\.js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";

interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
}

interface Assertion {
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

function runSuite(text: string, ...options: string[]): Report {
  writeFileSync(join(project, "store.test.js"), text);
  const report = join(project, "report.json");
  const runner = join(root, "node_modules/vitest/vitest.mjs");
  const args = ["run", "--root", project, "--reporter=json", `--outputFile=${report}`, ...options];
  const { stderr } = spawnSync(process.execPath, [runner, ...args], { encoding: "utf8" });
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    throw new Error(stderr);
  }
}

function failuresOf({ testResults }: Report): Assertion[] {
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed"),
  );
}

// Only a bound: each test of the suite writes to a disk.
const bound = 600_000;

test("X1: the store of Reprise passes the suite", { timeout: bound }, () => {
  const report = runSuite(program);
  expect(failuresOf(report)).toEqual([]);
  expect(report.numPassedTests).toBeGreaterThan(200);
});

test("X1: a store that forgets to revoke a token does not", { timeout: bound }, () => {
  const broken = program.replace(
    "return store;",
    "return { ...store, revokeToken: async ({ name }) => ({ name, revokedAt: null }) };",
  );
  expect(broken).not.toBe(program);
  const failed = failuresOf(runSuite(broken, "-t", "tokens"));
  expect(failed.map(({ title }) => title)).toContain("have unique names until they are revoked");
});
