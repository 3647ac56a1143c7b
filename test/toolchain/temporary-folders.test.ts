/** Tests leave nothing in the temporary folder of the machine: they all use one helper, and their run has one root. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { repositoryFiles, root } from "../../scripts/files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const helpers = ["test/temporary-folder.ts", "test/temporary-root.ts", "test/temporary-files.ts"];
const own = "test/toolchain/temporary-folders.test.ts";

/** Tests and their helpers. */
const ofTests = /^test\/.*\.ts$|\.test\.tsx?$|\/test-[^/]+\.ts$/;

/** A new folder by any call of Node's, and any use of the machine's folder in a call. */
const makesFolder =
  /\bmkdtemp|\btmpdir\b|\b(?:mkdir|writeFile|cp|rename)\w*\(\s*["'`]\/(?:var\/)?tmp/;

test("no test makes a temporary folder without the helper", () => {
  const files = repositoryFiles().filter(
    (file) => ofTests.test(file) && !helpers.includes(file) && file !== own,
  );
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((file) => makesFolder.test(readFileSync(join(root, file), "utf8")));
  expect(found).toEqual([]);
});

test("a test's folders are below the root of its run", () => {
  const folder = temporaryFolder("example");
  expect(folder).toMatch(/\/reprise-tests-\d+-\w+\/file-\w+\/example-\w+$/);
  expect(tmpdir()).toBe(join(folder, ".."));
});

test("a run removes its root when it ends, and what a killed run left when it begins", () => {
  const machine = temporaryFolder("machine");
  // No process has this number: it is above the maximum of Linux.
  const left = join(machine, "reprise-tests-4194305-abc");
  mkdirSync(join(left, "file-1"), { recursive: true });
  const living = join(machine, `reprise-tests-${process.pid}-abc`);
  mkdirSync(living);
  const helper = fileURLToPath(new URL("../temporary-root.ts", import.meta.url));
  const program = join(machine, "run.ts");
  writeFileSync(
    program,
    `import { writeFileSync } from "node:fs";
import { useTemporaryRoot } from ${JSON.stringify(helper)};
useTemporaryRoot();
const first = process.env.TMPDIR;
useTemporaryRoot();
writeFileSync(first + "/file", "");
console.log(first === process.env.TMPDIR, first);
throw new Error("the run crashes");`,
  );
  const env = { ...process.env, TMPDIR: machine };
  let stdout = "";
  try {
    execFileSync(process.execPath, [program], { env, stdio: "pipe" });
  } catch (error) {
    stdout = String((error as { stdout: Buffer }).stdout);
  }
  expect(stdout).toMatch(/^true .*\/reprise-tests-\d+-\w+\n$/);
  expect(existsSync(stdout.split(" ")[1]!.trim())).toBe(false);
  expect(readdirSync(machine).toSorted()).toEqual([`reprise-tests-${process.pid}-abc`, "run.ts"]);
});
