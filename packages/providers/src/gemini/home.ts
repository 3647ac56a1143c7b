/** The home of gemini: the folder with `.gemini`, where its settings, credentials and sessions are. */

import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { realPath } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";

/** The real path of the agent's home, whether it exists or not: gemini creates it. */
export function homeOf({ settings, env }: ProviderAgent): Promise<string> {
  return realPath(settings.home || env.GEMINI_CLI_HOME || env.HOME || homedir());
}

/** Creates a home that was set for the agent when it is first needed, accessible to its owner alone. */
export async function readyHome(agent: ProviderAgent): Promise<string> {
  const home = await homeOf(agent);
  if (agent.settings.home) {
    await mkdir(join(home, ".gemini"), { recursive: true, mode: 0o700 });
    await beginSettings(join(home, ".gemini", "settings.json"), agent.env);
  }
  return home;
}

/**
 * Settings of a home that has none: gemini deletes no sessions, gives up on a failing service in seconds instead of
 * minutes, and uses the API key where there is one, since it does not do so by itself with another base URL.
 */
async function beginSettings(file: string, env: ProviderAgent["env"]): Promise<void> {
  const auth = env.GEMINI_API_KEY ? { security: { auth: { selectedType: "gemini-api-key" } } } : {};
  const general = { sessionRetention: { enabled: false }, maxAttempts: 3, enableAutoUpdate: false };
  const text = `${JSON.stringify({ general, ...auth }, null, 2)}\n`;
  await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
}
