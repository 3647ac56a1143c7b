/** Runs the scripted agent for tests: a real process in a home of its own, with its ledger. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { bridgePath } from "../define-provider.ts";
import { sessionName } from "./files.ts";
import { type LedgerLine, ledgerPath, readLedger } from "./ledger.ts";
import { agentBridge } from "./provider.ts";

export interface ProgramRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface ProgramRunOptions {
  readonly env?: Readonly<Record<string, string>>;
}

export class AgentHome implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "scripted-"));
  readonly home = join(this.folder, "home");

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  session(id: string): string {
    return readFileSync(join(this.home, sessionName(id)), "utf8");
  }

  ledger(): LedgerLine[] {
    return readLedger(ledgerPath(this.home));
  }

  events(): string[] {
    return this.ledger().map(({ event }) => event);
  }

  /** Writes a script with one rule, or a whole one. */
  script(script: object | readonly unknown[]): string {
    const whole = Array.isArray(script) ? { rules: [{ do: script }] } : script;
    const path = this.path("script.json");
    writeFileSync(path, JSON.stringify(whole));
    return path;
  }

  start(flags: readonly string[], prompt: string, options: ProgramRunOptions = {}): RunningProgram {
    const argv = [bridgePath(agentBridge), "--home", this.home, ...flags];
    const env = { ...process.env, ...options.env };
    const child = spawn(process.execPath, argv, { cwd: this.folder, env });
    child.stdin.on("error", () => {}).end(prompt);
    return { child, ended: collect(child) };
  }

  run(
    flags: readonly string[],
    prompt: string,
    options: ProgramRunOptions = {},
  ): Promise<ProgramRun> {
    return this.start(flags, prompt, options).ended;
  }
}

export interface RunningProgram {
  readonly child: ChildProcess;
  readonly ended: Promise<ProgramRun>;
}

export function events(run: ProgramRun): Record<string, unknown>[] {
  const lines = run.stdout.toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

export async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await pause(5);
}

async function collect(child: ChildProcess): Promise<ProgramRun> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (data: Buffer) => chunks.push(data));
  const stderr = child.stderr ? text(child.stderr) : "";
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on("close", (...ending) => resolve(ending)),
  );
  return { code, signal, stdout: Buffer.concat(chunks), stderr: await stderr };
}
