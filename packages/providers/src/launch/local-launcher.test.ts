import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TerminalError } from "@reprise/core/errors/errors";
import type { ProcessIdentity } from "@reprise/core/session/turn";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { appears, until } from "../../../../test/until.ts";
import type { Launcher } from "./launcher.ts";
import { localLauncher } from "./local-launcher.ts";
import { identify, lives, self, withMark } from "./process.ts";
import { readIdentity, readTicket, spoolFolder } from "./spool.ts";

const env = { PATH: process.env.PATH! };
const launcherModule = new URL("./local-launcher.ts", import.meta.url).href;
let root: string;
let launcher: Launcher;
let turn: string;
let spool: { turn: string; attempt: number };
let folder: string;
let count = 0;
const gates: number[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  root = temporaryFolder("launcher");
  launcher = localLauncher(root);
  turn = `turn-${process.pid}-${count++}`;
  spool = { turn, attempt: 1 };
  folder = spoolFolder(root, spool);
});

afterEach(async () => {
  await launcher.end(turn, 0);
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const gate of gates.splice(0)) closeSync(gate);
  rmSync(root, { recursive: true });
});

async function start(script: string, { prompt = "", cwd = root, more = {} } = {}): Promise<void> {
  await launcher.prepare({ ...spool, prompt, argv: ["sh"] });
  await launcher.start(spool, { argv: ["/bin/sh", "-c", script], env: { ...env, ...more } }, cwd);
}

async function follow(signal?: AbortSignal) {
  const lines: string[] = [];
  const exit = await launcher.follow(spool, {
    onLine: (line) => lines.push(line),
    ...(signal && { signal }),
  });
  return { ...exit, lines };
}

/** A named pipe at which an agent waits until the test opens it. */
function gate(): { wait: string; open: () => void } {
  const path = join(root, "gate");
  execFileSync("mkfifo", [path]);
  return {
    wait: `read -r go <'${path}'`,
    open() {
      const file = openSync(path, "r+");
      gates.push(file);
      writeSync(file, "go\n");
    },
  };
}

const output = () => readFileSync(join(folder, "stdout"), "utf8");
const written = (text: string) => until(() => output().includes(text));

function forge(name: "pid" | "agent", { pid, start, boot, host }: ProcessIdentity): void {
  writeFileSync(join(folder, name), `${pid}\n${start}\n${boot}\n${host}\n`);
}

async function started(): Promise<void> {
  await launcher.prepare({ ...spool, prompt: "", argv: [] });
  writeFileSync(join(folder, "ticket"), "");
}

async function stranger(script: string, more: Record<string, string> = {}) {
  const child = spawn("/bin/sh", ["-c", script], {
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  const [line] = await once(createInterface(child.stdout!), "line");
  return { child, pid: Number(line) };
}

describe("a launch", () => {
  it("goes from absent to ended", async () => {
    const { wait, open } = gate();
    expect(await launcher.state(spool)).toBe("absent");
    await launcher.prepare({ ...spool, prompt: "", argv: [] });
    expect(await launcher.state(spool)).toBe("unstarted");
    await start(`echo one; ${wait}; echo two; echo problem >&2; exit 3`);
    await written("one");
    expect(await launcher.state(spool)).toBe("running");
    open();
    expect(await follow()).toEqual({ code: 3, stderr: "problem\n", lines: ["one", "two"] });
    expect(await launcher.state(spool)).toBe("ended");
    expect(await follow()).toEqual({ code: 3, stderr: "problem\n", lines: ["one", "two"] });
    await launcher.remove(turn);
    expect(await launcher.state(spool)).toBe("absent");
  });

  it("gives lines while the agent runs", async () => {
    const { wait, open } = gate();
    await start(`echo one; ${wait}; printf 'two, not ended'`);
    const lines: string[] = [];
    const end = launcher.follow(spool, { onLine: (line) => lines.push(line) });
    await until(() => lines.length === 1);
    expect(await launcher.state(spool)).toBe("running");
    open();
    await end;
    expect(lines).toEqual(["one", "two, not ended"]);
  });

  it("happens once, however often it is started", async () => {
    const ledger = join(root, "ledger");
    await Promise.all(Array.from({ length: 20 }, () => start(`echo started >>'${ledger}'`)));
    expect((await follow()).code).toBe(0);
    await until(() => withMark(turn).length === 0);
    expect(readFileSync(ledger, "utf8")).toBe("started\n");
  });

  it("gives a prompt of 1 MB on standard input", async () => {
    const prompt = "0123456789abcdé\n".repeat(65536);
    await start("cat", { prompt });
    const { lines } = await follow();
    expect(`${lines.join("\n")}\n`).toBe(prompt);
  });

  it("accepts a line of 50 MB", async () => {
    await start("head -c 50000000 /dev/zero | tr '\\0' x; echo; echo after");
    expect((await follow()).lines.map((line) => line.length)).toEqual([50_000_000, 5]);
  });

  it("runs in a folder with spaces, and PWD says so", async () => {
    const cwd = join(root, "a folder $HOME 'quoted'");
    mkdirSync(cwd);
    await start("pwd -P; env", { cwd, more: { PWD: "/stale", OTHER: "kept" } });
    const { lines } = await follow();
    expect(lines[0]).toBe(cwd);
    expect(lines).toContain(`PWD=${cwd}`);
    expect(lines).toContain("OTHER=kept");
    expect(lines).toContain(`REPRISE_TURN=${turn}`);
  });

  it("names the target of a linked folder", async () => {
    const cwd = join(root, "real");
    mkdirSync(cwd);
    const link = join(root, "link");
    symlinkSync(cwd, link);
    await start("env", { cwd: link, more: { PWD: link } });
    expect((await follow()).lines).toContain(`PWD=${cwd}`);
  });

  it("reports a program that is not there", async () => {
    await launcher.prepare({ ...spool, prompt: "", argv: [] });
    await launcher.start(spool, { argv: ["/no/such/agent"], env }, root);
    const exit = await follow();
    expect(exit.code).toBe(127);
    expect(exit.stderr).toContain("/no/such/agent");
  });

  it("fails for a folder that is not there, and takes no ticket", async () => {
    await expect(start("true", { cwd: join(root, "gone") })).rejects.toThrow(TerminalError);
    expect(await launcher.state(spool)).toBe("unstarted");
  });

  it("does not keep the process that started it", async () => {
    const { wait, open } = gate();
    const parent = spawn(
      process.execPath,
      ["--input-type=module", "-e", parentScript(`echo one; ${wait}; exit 4`, "")],
      { stdio: "inherit" },
    );
    expect(await once(parent, "exit")).toEqual([0, null]);
    await written("one");
    expect(await launcher.state(spool)).toBe("running");
    open();
    expect(await follow()).toMatchObject({ code: 4, lines: ["one"] });
  });

  it("outlives the process that started it, killed while it followed", async () => {
    const { wait, open } = gate();
    const carry = "launcher.follow(spool, { onLine: (line) => console.log(line) });";
    const parent = spawn(
      process.execPath,
      ["--input-type=module", "-e", parentScript(`echo one; ${wait}; echo two; exit 6`, carry)],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    await once(createInterface(parent.stdout), "line");
    parent.kill("SIGKILL");
    expect(await once(parent, "exit")).toEqual([null, "SIGKILL"]);
    expect(await launcher.state(spool)).toBe("running");
    open();
    expect(await follow()).toMatchObject({ code: 6, lines: ["one", "two"] });
  });
});

/** A process of its own that launches `script` on this test's spool and then does `more`. */
function parentScript(script: string, more: string): string {
  return `
    import { localLauncher } from ${JSON.stringify(launcherModule)};
    const launcher = localLauncher(${JSON.stringify(root)});
    const spool = ${JSON.stringify(spool)};
    const argv = ["/bin/sh", "-c", ${JSON.stringify(script)}];
    await launcher.prepare({ ...spool, prompt: "", argv });
    await launcher.start(spool, { argv, env: ${JSON.stringify(env)} }, ${JSON.stringify(root)});
    ${more}`;
}

describe("following", () => {
  it("stops at once when aborted, and leaves the agent alone", async () => {
    await start("echo one; exec sleep 1000");
    const stop = new AbortController();
    const following = follow(stop.signal);
    await written("one");
    stop.abort(new Error("enough"));
    await expect(following).rejects.toThrow("enough");
    await expect(follow(stop.signal)).rejects.toThrow("enough");
    expect(await launcher.state(spool)).toBe("running");
  });

  it("ends when first the shim was killed and then the agent ended: all lines, no code", async () => {
    const { wait, open } = gate();
    await start(`echo one; ${wait}; echo two; printf three`);
    await written("one");
    const following = follow();
    const shim = readIdentity(folder, "pid")!;
    process.kill(shim.pid, "SIGKILL");
    await until(() => !lives(shim));
    expect(await launcher.state(spool)).toBe("running");
    open();
    expect(await following).toEqual({ code: null, stderr: "", lines: ["one", "two", "three"] });
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("ends for a spool that was never started", async () => {
    await launcher.prepare({ ...spool, prompt: "", argv: [] });
    expect(await follow()).toEqual({ code: null, stderr: "", lines: [] });
  });

  it("refuses a spool that is not there", async () => {
    await expect(follow()).rejects.toMatchObject({ code: "spool-missing" });
  });
});

describe("the state of a spool found on disk", () => {
  it("vanished: its shim died before it wrote its pid", async () => {
    await started();
    expect(await launcher.state(spool)).toBe("vanished");
    expect(await follow()).toEqual({ code: null, stderr: "", lines: [] });
  });

  it("running: no pid yet, but a process of the turn lives", async () => {
    await started();
    const { child } = await stranger("echo $$; exec sleep 1000", { REPRISE_TURN: turn });
    expect(await launcher.state(spool)).toBe("running");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("running: the shim died before the agent was recorded, but a process lives", async () => {
    await started();
    forge("pid", { ...self(), start: "1" });
    const { child } = await stranger("echo $$; exec sleep 1000", { REPRISE_TURN: turn });
    expect(await launcher.state(spool)).toBe("running");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("vanished: the agent is gone, and only one of its tools lives", async () => {
    await started();
    forge("pid", { ...self(), start: "1" });
    forge("agent", { ...self(), start: "2" });
    await stranger("echo $$; exec sleep 1000", { REPRISE_TURN: turn });
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("vanished: its pids belong to later processes", async () => {
    await started();
    forge("pid", self());
    forge("agent", self());
    expect(await launcher.state(spool)).toBe("running");
    forge("pid", { ...self(), start: "1" });
    expect(await launcher.state(spool)).toBe("running");
    forge("agent", { ...self(), start: "1" });
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("vanished: the machine was rebooted since", async () => {
    await started();
    forge("pid", { ...self(), boot: "an earlier one" });
    forge("agent", { ...self(), boot: "an earlier one" });
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("vanished: only zombies are left", async () => {
    const { pid } = await stranger("sleep 1000 & echo $!; exec sleep 1000");
    const zombie = identify(pid)!;
    await started();
    forge("pid", zombie);
    forge("agent", zombie);
    expect(await launcher.state(spool)).toBe("running");
    process.kill(pid, "SIGKILL");
    await until(() => !lives(zombie));
    expect(process.kill(pid, 0)).toBe(true);
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("running: it belongs to another host", async () => {
    await started();
    forge("pid", { ...self(), host: "elsewhere" });
    expect(await launcher.state(spool)).toBe("running");
  });
});

describe("withdrawing", () => {
  it("wins: nothing ever starts", async () => {
    await launcher.prepare({ ...spool, prompt: "", argv: [] });
    expect(await launcher.withdraw(spool)).toBe(true);
    expect(await launcher.withdraw(spool)).toBe(true);
    expect(await launcher.state(spool)).toBe("withdrawn");
    await start(`touch '${join(root, "started")}'`);
    expect((await follow()).code).toBeNull();
    await until(() => withMark(turn).length === 0);
    expect(existsSync(join(root, "started"))).toBe(false);
    expect(await launcher.state(spool)).toBe("withdrawn");
  });

  it("loses against a shim", async () => {
    await start("exec sleep 1000");
    await until(() => readTicket(folder) === "shim");
    expect(await launcher.withdraw(spool)).toBe(false);
    expect(await launcher.state(spool)).toBe("running");
  });

  it("in a race has one winner", async () => {
    for (let attempt = 1; attempt <= 20; attempt++) {
      spool = { turn, attempt };
      folder = spoolFolder(root, spool);
      const ledger = join(root, `ledger-${attempt}`);
      await start(`echo started >'${ledger}'`);
      // Half of them at once, half when the shim writes its first file.
      if (attempt % 2 === 0) await until(() => readTicket(folder) !== null);
      const withdrawn = await launcher.withdraw(spool);
      const { code } = await follow();
      await until(() => withMark(turn).length === 0);
      expect({ code, ran: existsSync(ledger), state: await launcher.state(spool) }).toEqual(
        withdrawn
          ? { code: null, ran: false, state: "withdrawn" }
          : { code: 0, ran: true, state: "ended" },
      );
    }
  });
});

/** Starts an agent that is this script of Node. */
async function startNode(script: string): Promise<void> {
  await launcher.prepare({ ...spool, prompt: "", argv: [] });
  await launcher.start(spool, { argv: [process.execPath, "-e", script], env }, root);
}

describe("ending", () => {
  it("lets the agent end by itself, and its exit is recorded", async () => {
    await start("trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.01; done");
    await written("ready");
    await launcher.end(turn, 10_000);
    expect(withMark(turn)).toEqual([]);
    expect(await follow()).toMatchObject({ code: 9, lines: ["ready", "bye"] });
  });

  it("sends SIGTERM once", async () => {
    const handler = "n=0; trap 'echo term; n=1' TERM";
    await start(`${handler}; echo ready; while [ $n = 0 ]; do sleep 0.01; done; sleep 0.1`);
    await written("ready");
    await launcher.end(turn, 10_000);
    expect((await follow()).lines).toEqual(["ready", "term"]);
  });

  it("kills an agent that ignores SIGTERM, and the exit is still recorded", async () => {
    await start("trap '' TERM; echo ready; while :; do sleep 1000; done");
    await written("ready");
    await launcher.end(turn, 30);
    expect(withMark(turn)).toEqual([]);
    expect(await follow()).toMatchObject({ code: 137, lines: ["ready"] });
  });

  it("finds a tool in a session of its own that ignores SIGTERM and outlives its agent", async () => {
    const tool = "trap '' TERM; echo tool $$; while :; do sleep 1000; done";
    const agent = `
      require("node:child_process").spawn("/bin/sh", ["-c", ${JSON.stringify(tool)}],
        { detached: true, stdio: ["ignore", "inherit", "inherit"] });
      setInterval(() => {}, 1000);`;
    await startNode(agent);
    await written("\n");
    const tooling = identify(Number(output().split(" ")[1]))!;
    const following = follow();
    await launcher.end(turn, 100);
    expect(lives(tooling)).toBe(false);
    expect(withMark(turn)).toEqual([]);
    // By the first signal or the second, depending on the machine's speed.
    expect([143, 137]).toContain((await following).code);
  });

  it("finds a tool without the mark in a group of the turn", async () => {
    await start("env -i sh -c 'trap \"\" TERM; echo $$; while :; do /bin/sleep 1000; done' & wait");
    await written("\n");
    const tool = identify(Number(output()))!;
    await launcher.end(turn, 30);
    expect(lives(tool)).toBe(false);
  });

  it("finds a sandbox without the mark that is in a session of its own", async () => {
    const sandbox = "trap '' TERM; echo $$; while :; do /bin/sleep 1000; done";
    await startNode(
      `require("node:child_process").spawn("/bin/sh", ["-c", ${JSON.stringify(sandbox)}],
        { detached: true, env: {}, stdio: ["ignore", "inherit", "inherit"] });
      setInterval(() => {}, 1000);`,
    );
    await written("\n");
    const tool = identify(Number(output()))!;
    await launcher.end(turn, 30);
    expect(lives(tool)).toBe(false);
  });

  it.runIf(process.platform === "linux")(
    "finds a sandbox without the mark whose parent died, in a group of its own",
    async () => {
      const sandbox = `trap "" TERM; echo $$; while :; do sleep 1000; done`;
      // `timeout` makes a group of its own; the shell that starts it ends at once.
      await start(`(exec env -i timeout 1000 sh -c '${sandbox}' &); while :; do sleep 1000; done`);
      await written("\n");
      const tool = identify(Number(output()))!;
      await launcher.end(turn, 30);
      expect(lives(tool)).toBe(false);
    },
  );

  it("leaves a turn alone that the agent started", async () => {
    await startNode(
      `require("node:child_process").spawn("/bin/sh", ["-c", "echo $$; exec sleep 1000"],
        { detached: true, env: { REPRISE_TURN: "${turn}0" }, stdio: ["ignore", "inherit", "inherit"] });
      setInterval(() => {}, 1000);`,
    );
    await written("\n");
    const nested = identify(Number(output()))!;
    await launcher.end(turn, 30);
    expect(lives(nested)).toBe(true);
    process.kill(nested.pid, "SIGKILL");
  });

  it("ends an agent whose shim is gone", async () => {
    await start("echo ready; exec sleep 1000");
    await written("ready");
    const [shim, agent] = [readIdentity(folder, "pid")!, readIdentity(folder, "agent")!];
    process.kill(shim.pid, "SIGKILL");
    await launcher.end(turn, 10_000);
    expect(lives(agent)).toBe(false);
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("ends a shim that was stopped", async () => {
    await start("echo ready; exec sleep 1000");
    await written("ready");
    const shim = readIdentity(folder, "pid")!;
    process.kill(shim.pid, "SIGSTOP");
    await launcher.end(turn, 0);
    expect(lives(shim)).toBe(false);
    expect(await launcher.state(spool)).toBe("vanished");
  });

  it("leaves a turn of the same name in another home alone", async () => {
    await start("touch begun; while :; do sleep 1; done");
    await appears(join(root, "begun"));
    const other = localLauncher(temporaryFolder("launcher"));
    await other.end(turn, 0);
    expect(await other.survivors(turn)).toEqual([]);
    expect(await launcher.state(spool)).toBe("running");
  });

  it("finds the processes of a home that was moved", async () => {
    await start("touch begun; while :; do sleep 1; done");
    await appears(join(root, "begun"));
    const moved = `${root}-moved`;
    renameSync(root, moved);
    await localLauncher(moved).end(turn, 0);
    expect(withMark(turn)).toEqual([]);
    renameSync(moved, root);
  });

  it("leaves other turns alone", async () => {
    const { child, pid } = await stranger("echo $$; exec sleep 1000", { REPRISE_TURN: `${turn}0` });
    await start("exec sleep 1000");
    await launcher.end(turn, 10_000);
    expect(lives(identify(pid)!)).toBe(true);
    expect(child.exitCode).toBeNull();
  });
});

describe("survivors", () => {
  it("are listed after a normal end, and can be ended", async () => {
    await start("sleep 1000 & echo done");
    expect(await follow()).toMatchObject({ code: 0, lines: ["done"] });
    await until(() => withMark(turn).some(({ command }) => command === "sleep 1000"));
    expect(await launcher.survivors(turn)).toMatchObject([{ command: "sleep 1000" }]);
    await launcher.end(turn, 10_000);
    expect(await launcher.survivors(turn)).toEqual([]);
  });

  it("are none when all have ended; the shim does not count", async () => {
    for (let attempt = 1; attempt <= 10; attempt++) {
      spool = { turn, attempt };
      await start("true");
      await follow();
      expect(await launcher.survivors(turn)).toEqual([]);
    }
  });
});
