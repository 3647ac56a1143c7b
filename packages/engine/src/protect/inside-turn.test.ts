/** A process of a turn may scan, and may not undo what protects. */

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const library = fileURLToPath(new URL("../../../../test/runs/caller.ts", import.meta.url));
const folder = temporaryFolder("protect-inside");

function call(name: string, input: unknown): Promise<unknown> {
  const order = JSON.stringify({ home: join(folder, "home"), folder, call: name, input });
  const env = { PATH: process.env.PATH ?? "", HOME: folder, REPRISE_TURN: "turn-1" };
  return new Promise((resolve) => {
    execFile(process.execPath, [library, order], { cwd: folder, env }, (_, stdout) =>
      resolve(JSON.parse(stdout)),
    );
  });
}

test("only scans are allowed", async () => {
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await call("protect.scan", {})).toMatchObject({ added: 0 });
  for (const [name, input] of [
    ["protect.set", { on: false }],
    ["protect.restore", { id: "0f5b1c1e" }],
    ["protect.forget", "0f5b1c1e"],
  ] as const)
    expect([name, await call(name, input)]).toMatchObject([name, { code: "inside-turn" }]);
});
