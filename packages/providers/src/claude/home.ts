/** The home of claude: where its configuration, credentials and sessions are. */

import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { realPath } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";

/** The real path of the agent's home, whether it exists or not: claude creates it. */
export function homeOf(agent: ProviderAgent): Promise<string> {
  return realPath(chosenHome(agent) ?? userHome(agent));
}

/** Creates a home that was set for the agent when it is first needed, accessible to its owner alone. */
export async function readyHome(agent: ProviderAgent): Promise<string> {
  const home = await homeOf(agent);
  if (agent.settings.home) await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}

/** Without a home of its own claude keeps this file beside `~/.claude`, not in it. */
export function configFile(agent: ProviderAgent): string {
  return join(chosenHome(agent) ?? dirname(userHome(agent)), ".claude.json");
}

function chosenHome({ settings, env }: ProviderAgent): string | undefined {
  return settings.home || env.CLAUDE_CONFIG_DIR || undefined;
}

function userHome({ env }: ProviderAgent): string {
  return join(env.HOME || homedir(), ".claude");
}
