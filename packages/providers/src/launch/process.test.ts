import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { appears, until } from "../../../../test/until.ts";
import { identify, lives, presence, processTable, self, turnAround, withMark } from "./process.ts";
import { psTable } from "./ps-table.ts";

const children: ChildProcess[] = [];
const env = { PATH: process.env.PATH };

afterEach(() => {
  for (const child of children.splice(0)) {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // The whole group has ended.
    }
  }
});

/** Starts a shell script and returns its child with the first line it writes. */
async function shell(script: string, more: Record<string, string> = {}) {
  const child = spawn("/bin/sh", ["-c", script], {
    env: { ...env, ...more },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  const [line] = await once(createInterface(child.stdout!), "line");
  return { child, pid: child.pid!, line: String(line) };
}

/** A shell that executes another program reaps no children, so a killed child stays a zombie. */
async function withChild(more: Record<string, string> = {}) {
  const { pid, line } = await shell("sleep 1000 & echo $!; exec sleep 1000", more);
  await until(() => processTable.row(pid)?.command === "sleep 1000");
  return { pid, child: Number(line) };
}

describe("identity", () => {
  it("is its own, and stays the same", () => {
    expect(self()).toEqual(identify(process.pid));
    expect(lives(self())).toBe(true);
  });

  it("is null for a process that is not there", async () => {
    const { child, pid } = await shell("echo");
    if (child.exitCode === null) await once(child, "exit");
    expect(identify(pid)).toBeNull();
  });

  it("ends with the process, though its zombie stays", async () => {
    const { child } = await withChild();
    const identity = identify(child)!;
    expect(lives(identity)).toBe(true);
    process.kill(identity.pid, "SIGKILL");
    await until(() => !lives(identity));
    expect(process.kill(identity.pid, 0)).toBe(true);
    expect(identify(identity.pid)).toBeNull();
  });

  it("is not that of a later process with the same pid", () => {
    expect(lives({ ...self(), start: "1" })).toBe(false);
  });

  it("ends with the boot", () => {
    expect(lives({ ...self(), boot: "an earlier one" })).toBe(false);
  });

  it("counts as alive on another machine and in another pid namespace", () => {
    for (const elsewhere of [
      { ...self(), machine: "elsewhere", boot: "its own" },
      { ...self(), namespace: "pid:[1]" },
    ]) {
      expect(presence(elsewhere)).toBe("unseen");
      expect(lives(elsewhere)).toBe(true);
    }
  });

  it("is that of a machine that was renamed", () => {
    expect(presence({ ...self(), host: "renamed" })).toBe("lives");
  });

  it("is judged by the machine's name where an earlier version wrote it", () => {
    const { machine: _, namespace: __, ...old } = self();
    expect(presence(old)).toBe("lives");
    expect(presence({ ...old, start: "1" })).toBe("gone");
    expect(presence({ ...old, boot: "an earlier one" })).toBe("gone");
    expect(presence({ ...old, host: "renamed" })).toBe("lives");
    expect(presence({ ...old, host: "elsewhere", start: "1" })).toBe("unseen");
    expect(presence({ ...old, host: "elsewhere", boot: "its own" })).toBe("unseen");
  });

  it("is read although the program's name looks like columns of the table", async () => {
    const folder = temporaryFolder("process");
    const program = join(folder, "a) S 1 1 (b");
    copyFileSync("/bin/sleep", program);
    const child = spawn(program, ["1000"], { detached: true });
    children.push(child);
    await once(child, "spawn");
    rmSync(folder, { recursive: true });
    const row = processTable.row(child.pid!)!;
    expect(row.group).toBe(child.pid);
    expect(row.command).toBe(`${program} 1000`);
    expect(lives(identify(child.pid!)!)).toBe(true);
  });
});

describe("mark", () => {
  it("is found in children and not in those of another turn, nor in arguments", async () => {
    const one = await shell("sleep 1000 & echo $!; wait", { REPRISE_TURN: "t-mark-1" });
    await shell("echo; exec sleep 1000", { REPRISE_TURN: "t-mark-11" });
    await shell("echo; exec sleep 1000", { NOT_REPRISE_TURN: "t-mark-1" });
    await shell("echo; sleep 1000; : REPRISE_TURN=t-mark-1");
    await until(() => withMark("t-mark-1").some(({ command }) => command === "sleep 1000"));
    const pids = withMark("t-mark-1").map(({ pid }) => pid);
    expect(pids.sort()).toEqual([one.pid, Number(one.line)].sort());
  });

  it("is not looked for in zombies", async () => {
    const { pid, child } = await withChild({ REPRISE_TURN: "t-z" });
    process.kill(child, "SIGKILL");
    await until(() => identify(child) === null);
    expect(withMark("t-z").map((each) => each.pid)).toEqual([pid]);
  });
});

describe.skipIf(!existsSync("/bin/ps"))("the table of ps", () => {
  it("knows a process, its group and its start", async () => {
    const { pid } = await shell("echo; exec sleep 1000");
    await until(() => psTable.row(pid)?.command === "sleep 1000");
    const row = psTable.row(pid)!;
    expect(row.group).toBe(processTable.row(pid)!.group);
    expect(Math.abs(Date.parse(`${row.start} UTC`) - Date.now())).toBeLessThan(60_000);
    expect(psTable.rows().map((other) => other.pid)).toContain(pid);
  });

  it("has no zombies, and null for a process that does not exist", async () => {
    const { child } = await withChild();
    process.kill(child, "SIGKILL");
    await until(() => psTable.row(child) === null);
    expect(process.kill(child, 0)).toBe(true);
    expect(psTable.rows().map(({ pid }) => pid)).not.toContain(child);
  });

  it("finds an environment, and is not misled by arguments", async () => {
    const { pid } = await shell("echo; exec sleep 1000", { REPRISE_TURN: "t-ps" });
    await shell("echo; sleep 1000; : REPRISE_TURN=t-ps ");
    await until(() => psTable.row(pid)?.command === "sleep 1000");
    const found = psTable.rowsWith("REPRISE_TURN=t-ps");
    expect(found.map((row) => row.pid)).toEqual([pid]);
  });
});

describe("the turn around a process", () => {
  it.each([
    ["that of its own environment", "echo $$; exec sleep 1000"],
    [
      "that of an ancestor, though its own environment is empty",
      "env -i sleep 1000 & echo $!; wait",
    ],
    ["found over several steps", "env -i sh -c 'sleep 1000 & echo $!; wait'; exit $?"],
  ])("is %s", async (_, script) => {
    const { line } = await shell(script, { REPRISE_TURN: "turn-1" });
    const pid = Number(line);
    // Before that it is a copy of the shell.
    await until(() => processTable.row(pid)?.command === "sleep 1000");
    expect(turnAround(pid)).toBe("turn-1");
    expect(psTable.row(pid)?.parent).toBe(processTable.row(pid)?.parent);
  });

  it("is that of a process that executes one program after the other", async () => {
    const folder = temporaryFolder("process");
    const script = join(folder, "again");
    const executed = join(folder, "executed");
    writeFileSync(script, `#!/bin/sh\necho >> ${executed}\nexec ${script}\n`, { mode: 0o755 });
    const { pid } = await shell(`echo; exec ${script}`, { REPRISE_TURN: "turn-1" });
    await appears(executed);
    const turns = new Set<string | null>();
    while (statSync(executed).size < 300) turns.add(processTable.variable(pid, "REPRISE_TURN"));
    rmSync(folder, { recursive: true });
    expect([...turns]).toEqual(["turn-1"]);
  });

  it("is none outside of a turn", async () => {
    const { pid } = await shell("echo; exec sleep 1000");
    expect(turnAround(pid)).toBeNull();
  });

  it.runIf(existsSync("/bin/ps"))("is seen by ps as well", async () => {
    const { pid } = await shell("echo; exec sleep 1000", { REPRISE_TURN: "turn-1", OTHER: "x y" });
    expect(psTable.variable(pid, "REPRISE_TURN")).toBe("turn-1");
    expect(psTable.variable(pid, "NO_SUCH")).toBeNull();
  });
});
