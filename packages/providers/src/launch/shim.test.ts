import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { until } from "../../../../test/until.ts";
import { identify, lives, machine, shimPlace } from "./process.ts";
import { procShim, psShim, readExit, readIdentity, takeTicket, writeSpool } from "./spool.ts";

const shells = ["/bin/dash", "/bin/bash"].filter((shell) => existsSync(shell));
const scripts = { proc: procShim, ps: psShim };
const usable = { proc: existsSync("/proc/self/stat"), ps: existsSync("/bin/ps") };
const cases = shells.flatMap((shell) =>
  (["proc", "ps"] as const).map((table) => ({ shell, table, script: scripts[table] })),
);

describe.each(cases)("shim in $shell with $table", ({ shell, table, script }) => {
  let root: string;
  let spool: string;
  let groups: number[];

  beforeEach(() => {
    root = temporaryFolder("shim");
    spool = join(root, "it's a $(spool)");
    groups = [];
    writeSpool(spool, { turn: "t", attempt: 1, prompt: "hello\n", argv: [] });
  });
  afterEach(() => {
    for (const group of groups) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // The test has already ended it.
      }
    }
    rmSync(root, { recursive: true });
  });

  function start(command: string[], env: Record<string, string> = {}): ChildProcess {
    const words = ["-c", script, "reprise-turn", spool, ...shimPlace(), ...command];
    const child = spawn(shell, words, {
      argv0: "sh",
      env: { PATH: process.env.PATH, ...env },
      detached: true,
      stdio: "ignore",
    });
    groups.push(child.pid!);
    return child;
  }

  async function run(command: string[], env?: Record<string, string>) {
    await once(start(command, env), "exit");
    const text = (name: string) => readFileSync(join(spool, name), "utf8");
    return { code: readExit(spool), stdout: text("stdout"), stderr: text("stderr") };
  }

  /** The agent says `ready` and then waits for a line from the test. */
  function gate(): { command: string; open: () => void } {
    const path = join(root, "gate");
    execFileSync("mkfifo", [path]);
    return {
      command: `echo ready; read -r go <'${path}'`,
      open() {
        const file = openSync(path, "r+");
        writeSync(file, "go\n");
        closing.push(file);
      },
    };
  }
  const closing: number[] = [];
  afterEach(() => {
    for (const file of closing.splice(0)) closeSync(file);
  });

  const ready = () => until(() => readFileSync(join(spool, "stdout"), "utf8") !== "");

  it.runIf(usable[table])(
    "passes the prompt, writes both outputs and records the exit",
    async () => {
      const result = await run(["sh", "-c", "cat; echo problem >&2; exit 7"]);
      expect(result).toEqual({ code: 7, stdout: "hello\n", stderr: "problem\n" });
      for (const name of readdirSync(spool)) {
        expect(statSync(join(spool, name)).mode & 0o777).toBe(0o600);
      }
    },
  );

  it.runIf(usable[table])("records itself and the agent, each with its own pid", async () => {
    const { command, open } = gate();
    const shim = start(["sh", "-c", `echo $$ $PPID; ${command}`]);
    await ready();
    const [agentPid, shimPid] = readFileSync(join(spool, "stdout"), "utf8").split(/\s/).map(Number);
    expect(shimPid).toBe(shim.pid);
    for (const [name, pid] of [
      ["pid", shimPid],
      ["agent", agentPid],
    ] as const) {
      const recorded = readIdentity(spool, name)!;
      expect(recorded).toMatchObject({ pid, ...machine() });
      if (table === "proc") {
        expect(recorded).toEqual(identify(pid!));
        expect(lives(recorded)).toBe(true);
      } else {
        expect(Math.abs(Date.parse(`${recorded.start} UTC`) - Date.now())).toBeLessThan(60_000);
      }
    }
    open();
    await once(shim, "exit");
    expect(readExit(spool)).toBe(0);
  });

  it.runIf(usable[table])("starts the agent once, out of twenty shims", async () => {
    const ledger = join(root, "ledger");
    const command = ["sh", "-c", 'echo started >>"$1"', "sh", ledger];
    const shims = Array.from({ length: 20 }, () => start(command));
    await Promise.all(shims.map((shim) => once(shim, "exit")));
    expect(readFileSync(ledger, "utf8")).toBe("started\n");
    expect(readExit(spool)).toBe(0);
  });

  it.runIf(usable[table])("does not start a withdrawn spool", async () => {
    expect(takeTicket(spool)).toBe(true);
    await once(start(["touch", join(root, "started")]), "exit");
    expect(existsSync(join(root, "started"))).toBe(false);
    expect(existsSync(join(spool, "pid"))).toBe(false);
  });

  it.runIf(usable[table])(
    "says 127 when the program is not there, 126 when it is none",
    async () => {
      const missing = await run(["/no/such/agent"]);
      expect(missing.code).toBe(127);
      expect(missing.stderr).toMatch(/\/no\/such\/agent.*([Nn]ot found|No such file)/);
      rmSync(join(spool, "ticket"));
      const plain = join(root, "plain");
      writeFileSync(plain, "text");
      chmodSync(plain, 0o644);
      const denied = await run([plain]);
      expect(denied.code).toBe(126);
      expect(denied.stderr).toMatch(/plain.*[Pp]ermission denied/);
    },
  );

  it.runIf(usable[table]).each([
    ["INT", 130],
    ["TERM", 143],
    ["KILL", 137],
  ])("records an agent that died of SIG%s", async (signal, code) => {
    expect((await run(["sh", "-c", `kill -${signal} $$; echo not reached`])).code).toBe(code);
  });

  it.runIf(usable[table])("keeps waiting when only the shim gets a signal", async () => {
    const { command, open } = gate();
    const shim = start(["sh", "-c", `${command}; exit 5`]);
    await ready();
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const) shim.kill(signal);
    open();
    await once(shim, "exit");
    expect(readExit(spool)).toBe(5);
  });

  it.runIf(usable[table])("changes neither environment nor umask of the agent", async () => {
    const env = { pid: "1", start: "2", host: "3", boot: "4", spool: "5", IFS: "x", A: "a\nb" };
    const show = "for (const k of JSON.parse(process.argv[1])) console.log(process.env[k])";
    const wanted = JSON.stringify(Object.keys(env).filter((name) => name !== "IFS"));
    const { stdout } = await run([process.execPath, "-e", show, wanted], env);
    expect(stdout).toBe("1\n2\n3\n4\n5\na\nb\n");
    rmSync(join(spool, "ticket"));
    const own = execFileSync("sh", ["-c", "umask"], { encoding: "utf8" });
    expect((await run(["sh", "-c", "umask"])).stdout).toBe(stdout + own);
  });
});
