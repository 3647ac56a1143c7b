/**
 * A user at a shell: a home, a work folder, a scripted agent, and the real command line. Each command
 * is a process of its own; what the agents did is read from their ledger, which Reprise does not write.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { markedRows } from "@reprise/providers/launch/process";
import { type LedgerLine, ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { Terminal } from "../conformance/terminal.ts";
import { inherited } from "../environment.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));

/** The user who runs the commands, if not the one who runs the tests. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Where it is typed; the shell's own folder by default. */
  readonly cwd?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

export interface EndedCommand {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedCommand>;
}

export class TestShell implements AsyncDisposable {
  readonly root = temporaryFolder("cli");
  readonly home = join(this.root, "home");
  readonly agentHome = join(this.root, "agent");
  readonly script = join(this.root, "script.json");
  readonly folder: string;
  readonly #identity: Identity | undefined;
  readonly #env: Record<string, string>;
  readonly #running = new Set<Running>();

  constructor(identity?: Identity) {
    this.#identity = identity;
    chmodSync(this.root, 0o755);
    if (identity) chownSync(this.root, identity.uid, identity.gid);
    this.folder = this.newFolder("work");
    this.#env = {
      ...inherited,
      HOME: this.newFolder("user"),
      TMPDIR: this.newFolder("tmp"),
      REPRISE_HOME: this.home,
      // More than any test has at work, whatever the machine.
      REPRISE_MAX_AGENTS: "50",
    };
  }

  /** Ends what this shell started and removes all it made. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running) child.kill("SIGKILL");
    await Promise.all([...this.#running].map(({ ended }) => ended));
    for (const { turn } of this.ledger("start"))
      for (const { pid } of markedRows(String(turn))) killIfThere(pid);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  newFolder(name: string): string {
    const folder = join(this.root, name);
    mkdirSync(folder, { recursive: true });
    if (this.#identity) chownSync(folder, this.#identity.uid, this.#identity.gid);
    return folder;
  }

  newFile(name: string, content: string): string {
    const file = join(this.root, name);
    writeFileSync(file, content);
    return file;
  }

  /** What the scripted agent does, by rules of its script. */
  rules(...rules: readonly unknown[]): void {
    writeFileSync(this.script, JSON.stringify({ rules }));
  }

  start(argv: readonly string[], options: CommandOptions = {}): Running {
    return this.startNode([...(options.node ?? []), program, ...argv], options);
  }

  run(argv: readonly string[], options: CommandOptions = {}): Promise<EndedCommand> {
    return this.start(argv, options).ended;
  }

  startNode(
    argv: readonly string[],
    { input = "", env = {}, cwd = this.folder }: CommandOptions = {},
  ): Running {
    const child = spawn(process.execPath, argv, {
      cwd,
      env: { ...this.#env, ...env },
      ...this.#identity,
    });
    // A command that does not want its input closes it.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const ended = Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<Pick<EndedCommand, "code" | "signal">>((resolve) =>
        child.once("close", (code, signal) => resolve({ code, signal })),
      ),
    ]).then(([stdout, stderr, end]) => {
      this.#running.delete(running);
      return { ...end, stdout, stderr };
    });
    const running = { child, ended };
    this.#running.add(running);
    return running;
  }

  /** The command on a terminal of its own. */
  terminal(argv: readonly string[]): Terminal {
    return new Terminal([process.execPath, program, ...argv], {
      cwd: this.folder,
      env: this.#env,
    });
  }

  async createAgent(name = "coder"): Promise<void> {
    if (!existsSync(this.script)) this.rules();
    const { code, stderr } = await this.run([
      ...["agent", "create", name, "--provider", "scripted"],
      ...["--set", `home=${this.agentHome}`, "--set", `script=${this.script}`],
    ]);
    if (code !== 0) throw new Error(`The agent could not be created: ${stderr}`);
  }

  ledger(event?: string): LedgerLine[] {
    const path = ledgerPath(this.agentHome);
    const lines = existsSync(path) ? readLedger(path) : [];
    return event === undefined ? lines : lines.filter((line) => line.event === event);
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
