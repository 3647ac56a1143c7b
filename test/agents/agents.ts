/**
 * The real agents of the tests, pinned by the lockfile of this folder. `REPRISE_TEST_AGENTS` names the
 * ones that are tested (`codex,claude`), or `none`; all of them by default.
 */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { nativeBinary as nativeClaude } from "../../packages/providers/src/claude/binary.ts";
import { nativeBinary as nativeCodex } from "../../packages/providers/src/codex/binary.ts";

const folder = import.meta.dirname;
const modules = join(folder, "node_modules");
const sqliteBusy = 5;
const marker = join(modules, ".reprise-installed");

/** For each agent, how its program is found in `node_modules`. */
const programs = {
  codex: () => nativeCodex(join(modules, "@openai/codex/bin/codex.js")),
  claude: () => nativeClaude(join(modules, "@anthropic-ai/claude-code/cli-wrapper.cjs")),
};

export type AgentName = keyof typeof programs;
const agentNames = Object.keys(programs) as AgentName[];

export interface InstalledAgent {
  readonly agent: AgentName;
  /** Null when it is there, or was not asked for. */
  readonly problem: string | null;
}

/** Path of the agent's program, which `installAgents` brought. */
export function agentBinary(agent: AgentName): string {
  const binary = programs[agent]();
  if (/\.c?js$/.test(binary)) throw new Error(`${agent} has no program for this system`);
  return binary;
}

/** Why the agent is not tested; null when it is. */
export function leftOut(agent: AgentName): string | null {
  const wanted = process.env.REPRISE_TEST_AGENTS?.split(",").map((name) => name.trim());
  if (wanted === undefined || wanted.includes(agent)) return null;
  return `REPRISE_TEST_AGENTS leaves ${agent} out`;
}

/** Installs what the lockfile names, unless that is already there. Several callers may do so at once. */
export async function installAgents(): Promise<InstalledAgent[]> {
  const wanted = agentNames.filter((agent) => leftOut(agent) === null);
  let problem: string | null = null;
  if (wanted.length > 0 && !(await isInstalled())) {
    const release = await takeLock(join(folder, ".cache", "install-lock"));
    try {
      if (!(await isInstalled())) problem = await install();
    } finally {
      release();
    }
  }
  return agentNames.map((agent) => ({
    agent,
    problem: wanted.includes(agent) ? (problem ?? missing(agent)) : null,
  }));
}

async function isInstalled(): Promise<boolean> {
  const found = await readFile(marker, "utf8").catch(() => "");
  return found === (await lockHash());
}

async function lockHash(): Promise<string> {
  const lockfile = await readFile(join(folder, "package-lock.json"));
  return createHash("sha256").update(lockfile).digest("hex");
}

/** Runs npm on this Node; what is wrong, or null. */
async function install(): Promise<string | null> {
  const hash = await lockHash();
  const child = spawn("npm", ["ci", "--ignore-scripts", "--include=optional"], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<string | null>((resolve) => {
    child.once("error", (error) => resolve(`npm could not be started: ${error.message}`));
    child.once("close", (code) => resolve(code === 0 ? null : `npm ci ended with ${code}`));
  });
  const said = await text(child.stderr);
  const problem = await ended;
  if (problem !== null) return `${problem}: ${said.trim().split("\n").at(-1)}`;
  await writeFile(marker, hash);
  return null;
}

function missing(agent: AgentName): string | null {
  try {
    return existsSync(agentBinary(agent)) ? null : `${agent} was not installed`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The lock of a database: the system frees it when its owner dies. */
async function takeLock(file: string): Promise<() => void> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      return () => database.close();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    }
    await setTimeout(100);
  }
}
