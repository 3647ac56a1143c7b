import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { appears } from "../../../../test/until.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "reprise.cjs");

let folder: string;
beforeAll(async () => {
  folder = temporaryFolder("process");
});
afterAll(() => rm(folder, { recursive: true }));

function start(...argv: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [program, ...argv], {
    cwd: folder,
    env: { ...process.env, REPRISE_HOME: join(folder, "home") },
  });
}

async function run(...argv: string[]) {
  return ended(start(...argv));
}

async function ended(child: ChildProcessWithoutNullStreams) {
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

test("--version answers without loading the commands, the schemas or the engine", async () => {
  const child = spawn(process.execPath, [program, "--version"], {
    env: { ...process.env, NODE_DEBUG: "esm" },
  });
  const { code, stdout, stderr } = await ended(child);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(stderr).toMatch(/(cli|dist)\/main/);
  expect(stderr).not.toMatch(/commander|zod|engine/);
});

test("a reader that closes the output early is not an error", async () => {
  const child = start("--help");
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s cancels the turn and determines the exit code", async (signal, code) => {
  const agent = `hanging-${code}`;
  const script = join(folder, `${agent}.json`);
  const started = join(folder, `${agent}.started`);
  await writeFile(script, JSON.stringify({ rules: [{ do: [{ touch: started }, "hang"] }] }));
  await run("agent", "create", agent, "--provider", "scripted", "--set", `script=${script}`);

  const child = start("sessions", "send", agent, "wait", "--agent", agent, "--json");
  const result = ended(child);
  await appears(started);
  child.kill(signal);
  const { stdout, ...rest } = await result;
  expect(rest.code).toBe(code);
  expect(JSON.parse(stdout)).toMatchObject({
    turn: { status: "cancelled" },
    error: { by: expect.any(String) },
  });
});

test("a prompt file that may not be read is denied", async () => {
  const file = join(folder, "secret.md");
  await writeFile(file, "x");
  await chmod(file, 0);
  await chmod(folder, 0o755);
  // Root may read everything, so as root the command runs as another user.
  const uid = process.getuid?.() === 0 ? { uid: 65534 } : {};
  const child = spawn(process.execPath, [program, "sessions", "send", "k", "--file", file], uid);
  const { code, stderr } = await ended(child);
  expect(stderr).toMatch(/^reprise: The prompt file .*secret\.md cannot be read\. [^\n]+\n$/);
  expect(code).toBe(5);
});

test("L4: output that cannot be written is one sentence and exit 1", async () => {
  const shell = `"$0" "$1" --help > /dev/full`;
  const child = spawn("sh", ["-c", shell, process.execPath, program], { cwd: folder });
  expect(await ended(child)).toEqual({
    code: 1,
    stdout: "",
    stderr: "reprise: The output could not be written (ENOSPC).\n",
  });
});
