/** A run whose process is killed, from the command line: what was left is reported and continues where it was. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDetail, RunView } from "@reprise/core/api/reprise";
import { expect, onTestFinished, test } from "vitest";
import { kill } from "../cli/line.ts";
import { TestShell } from "../cli/shell.ts";
import { until } from "../until.ts";

const source = `name: Left alone
steps:
  begin: { shell: "echo ran >>ran; until [ -e go ]; do sleep 0.05; done; echo begun" }
  agent: { agent: scripted, prompt: "echo {{ begin.exitCode }}" }
outputs: { said: agent.output }
`;

test("rerun continues a run that was left alone, and does nothing twice", async () => {
  const shell = new TestShell();
  onTestFinished(() => shell[Symbol.asyncDispose]());
  const file = shell.newFile("left.yaml", source);
  const ran = join(shell.folder, "ran");
  const running = shell.start(["run", file, "--id", "r1"]);
  await until(() => readIfThere(ran) !== "");
  await kill(running);

  const listed = await shell.run(["runs"]);
  expect(listed.stdout).toContain("running, left alone");
  expect(listed.stderr).toContain("No process is running r1. Continue it with: reprise rerun r1");
  const [view] = JSON.parse((await shell.run(["runs", "--json"])).stdout) as RunView[];
  expect(view).toMatchObject({ id: "r1", status: "running", stalled: true });

  const refused = await shell.run(["rerun", "r1", "--from-start"]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Run r1 is running. Continue it with "reprise rerun r1"'),
  });

  shell.newFile("work/go", "");
  const { code, stdout } = await shell.run(["rerun", "r1", "--json"]);
  expect(code).toBe(0);
  const run = JSON.parse(stdout) as RunDetail;
  expect(run).toMatchObject({ status: "done", outputs: { said: "0" } });
  expect(run.executions[0]).toMatchObject({ id: "begin", attempt: 1 });
  expect(readIfThere(ran)).toBe("ran\n");
});

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
