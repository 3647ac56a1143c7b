/** A home in its own folder for tests of commands, and functions that run commands in it. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { runProgram } from "./program.ts";
import { type TestOptions, testSurroundings } from "./test-surroundings.ts";

/** Commands run in the home's parent folder; `remove` deletes it. */
export function testHome(name: string, usual: Pick<TestOptions, "columns"> = {}) {
  const folder = temporaryFolder(name);
  const remove = () => rmSync(folder, { recursive: true });

  async function runWith({ env, ...options }: Omit<TestOptions, "cwd">, ...argv: string[]) {
    const surroundings = testSurroundings({
      cwd: folder,
      env: { ...process.env, REPRISE_HOME: join(folder, "home"), NO_COLOR: "1", ...env },
      ...usual,
      ...options,
    });
    const code = await runProgram(argv, surroundings);
    return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
  }
  const run = (...argv: string[]) => runWith({}, ...argv);
  const document = async (...argv: string[]) => JSON.parse((await run(...argv, "--json")).stdout);
  return { folder, run, runWith, document, remove };
}
