/**
 * The real agents of the tests, pinned by the lockfile of this folder. `REPRISE_TEST_AGENTS` names the
 * ones that are tested (`codex,claude`), or `none`; all of them by default.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { nativeBinary as nativeClaude } from "../../packages/providers/src/claude/binary.ts";
import { nativeBinary as nativeCodex } from "../../packages/providers/src/codex/binary.ts";
import { nativePackage as nativeOpencode } from "../../packages/providers/src/opencode/binary.ts";
import { installPinned } from "../../scripts/pinned-folder.ts";

const folder = import.meta.dirname;
export const agentModules = join(folder, "node_modules");

/** For each agent, how its program is found in `node_modules`. */
const programs = {
  codex: () => nativeCodex(join(agentModules, "@openai/codex/bin/codex.js")),
  claude: () => nativeClaude(join(agentModules, "@anthropic-ai/claude-code/cli-wrapper.cjs")),
  // It is a program for Node, for every system.
  gemini: () => join(agentModules, ".bin/gemini"),
  opencode: () => join(agentModules, nativeOpencode(), "bin/opencode"),
  // One too. All it needs is in its bundle, but jiti: package.json has small packages in the place of its libraries.
  pi: () => join(agentModules, ".bin/pi"),
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
  const problem = wanted.length > 0 ? await installPinned(folder) : null;
  return agentNames.map((agent) => ({
    agent,
    problem: wanted.includes(agent) ? (problem ?? missing(agent)) : null,
  }));
}

function missing(agent: AgentName): string | null {
  try {
    return existsSync(agentBinary(agent)) ? null : `${agent} was not installed`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
