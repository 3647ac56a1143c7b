/** The home of pi: the folder with its settings, credentials, models and sessions. */

import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { realPath } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";

/** The real path of the agent's home, whether it exists or not: pi creates it. */
export function homeOf({ settings, env }: ProviderAgent): Promise<string> {
  const user = env.HOME || homedir();
  const named = settings.home || env.PI_CODING_AGENT_DIR || join(user, ".pi", "agent");
  return realPath(named.replace(/^~(?=\/|$)/, user));
}

/** Creates a home that was set for the agent when it is first needed, accessible to its owner alone. */
export async function readyHome(agent: ProviderAgent): Promise<string> {
  const home = await homeOf(agent);
  if (agent.settings.home) await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}

/** `provider/model` as the home's settings name it; null when pi chooses by itself. */
export function defaultModelIn(home: string): string | null {
  try {
    const text = readFileSync(join(home, "settings.json"), "utf8");
    const { defaultProvider, defaultModel } = JSON.parse(text);
    return defaultProvider && defaultModel ? `${defaultProvider}/${defaultModel}` : null;
  } catch {
    return null;
  }
}
