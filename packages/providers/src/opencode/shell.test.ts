import { spawnSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { limitedShell, refusal } from "./shell.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("opencode-shell");
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(allowed: readonly string[], command: string) {
  const shell = join(folder, "shell");
  writeFileSync(shell, limitedShell(allowed), { mode: 0o700 });
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: folder,
    shell,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}
const refused = { status: 126, stdout: "", stderr: `${refusal}\n` };

test("an allowed command runs, whatever is in it", () => {
  const allowed = ["echo 'it''s' \"$HOME\"", "echo *", "printf '%s\\n' a) b", "exit 3"];
  expect(run(allowed, "echo *").stdout).toBe("shell\n");
  expect(run(allowed, allowed[0]!).stdout).toBe(`its ${process.env.HOME}\n`);
  expect(run(allowed, "exit 3").status).toBe(3);
});

test.each([
  "echo  hello",
  "echo hello; touch x",
  "echo hello > x",
  "> x",
  "[[ -v 'a[$(touch x)]' ]]",
  "echo hell?",
  "echo hello\ntouch x",
  " ",
])("any other command is refused: %j", (command) => {
  expect(run(["echo hello"], command)).toEqual(refused);
  expect(readdirSync(folder)).toEqual(["shell"]);
});

test("without allowed commands there are none", () => {
  expect(run([], "true")).toEqual(refused);
});
