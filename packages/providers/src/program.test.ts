import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { until } from "../../../test/until.ts";
import { identify } from "./launch/process.ts";
import { ask } from "./program.ts";

const folder = mkdtempSync(join(tmpdir(), "reprise-program-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env.PATH ?? "" };

function program(name: string, lines: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o700);
  return file;
}

test("a program is asked, and one that fails or is not there says nothing", async () => {
  const asking = { env, timeout: 20_000 };
  expect(await ask(program("good", 'echo "good $1"'), ["--version"], asking)).toBe(
    "good --version\n",
  );
  expect(await ask(program("bad", "echo no; exit 1"), [], asking)).toBe(null);
  expect(await ask(join(folder, "missing"), [], asking)).toBe(null);
});

test("V7: a program that does not answer is ended with all that it started", async () => {
  const pids = join(folder, "pids");
  const hanging = program("hanging", `sleep 1000 & echo $$ $! > ${pids}; wait`);
  await expect(ask(hanging, ["--version"], { env, timeout: 500 })).rejects.toMatchObject({
    code: "probe-timed-out",
    message: `"${hanging} --version" did not answer within 0.5 s.`,
    exitCode: 6,
  });
  expect(existsSync(pids)).toBe(true);
  const [own, child] = readFileSync(pids, "utf8").trim().split(" ").map(Number);
  await until(() => identify(own!) === null && identify(child!) === null);
});

test("V7: what a program leaves behind does not delay its answer beyond the limit", async () => {
  const leaving = program("leaving", "sleep 1000 & echo answer");
  expect(await ask(leaving, [], { env, timeout: 500 })).toBe("answer\n");
});
