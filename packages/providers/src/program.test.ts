import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { patience, until } from "../../../test/until.ts";
import { identify } from "./launch/process.ts";
import { askProgram } from "./program.ts";

const folder = temporaryFolder("program");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env.PATH ?? "" };

function program(name: string, lines: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o700);
  return file;
}

test("returns what a program prints, and null for one that fails or does not exist", async () => {
  const asking = { env, timeout: patience };
  expect(await askProgram(program("good", 'echo "good $1"'), ["--version"], asking)).toBe(
    "good --version\n",
  );
  expect(await askProgram(program("bad", "echo no; exit 1"), [], asking)).toBe(null);
  expect(await askProgram(join(folder, "missing"), [], asking)).toBe(null);
});

describe("V7: at its limit", () => {
  // Otherwise a slow machine could reach the limit before the program has started its children.
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => vi.useRealTimers());
  const asking = { env, timeout: 500 };

  /** The pids of the processes, once the program has written them. */
  async function pidsIn(file: string): Promise<number[]> {
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
    return readFileSync(file, "utf8").trim().split(" ").map(Number);
  }

  test("a program that does not answer is killed together with its children", async () => {
    const file = join(folder, "hanging.pids");
    const hanging = program("hanging", `sleep 1000 & echo $$ $! > ${file}; wait`);
    const late = expect(askProgram(hanging, ["--version"], asking)).rejects.toMatchObject({
      code: "probe-timed-out",
      message: `"${hanging} --version" did not answer within 0.5 s.`,
      exitCode: 6,
    });
    const pids = await pidsIn(file);
    vi.advanceTimersByTime(500);
    await late;
    await until(() => pids.every((pid) => identify(pid) === null));
  });

  test("a child that outlives the program does not delay the answer", async () => {
    const file = join(folder, "leaving.pids");
    const leaving = program("leaving", `sleep 1000 & echo answer; echo $$ $! > ${file}`);
    const answer = askProgram(leaving, [], asking);
    const [own, child] = await pidsIn(file);
    await until(() => !isThere(own!));
    vi.advanceTimersByTime(500);
    expect(await answer).toBe("answer\n");
    await until(() => identify(child!) === null);
  });
});

/** True for a zombie too, until its parent has read its exit. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
