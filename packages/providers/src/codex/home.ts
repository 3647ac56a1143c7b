/** The home of codex: where its configuration, credentials and rollouts are. */

import { mkdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import { realPath } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";

/**
 * The real path of the agent's home, whether it exists or not.
 * @throws NotFoundError when it was not set for the agent and does not exist: codex would not start.
 */
export async function homeOf({ settings, env }: ProviderAgent): Promise<string> {
  if (settings.home) return realPath(settings.home);
  const home = env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
  try {
    return await realpath(home);
  } catch {
    throw new NotFoundError(
      "no-agent-home",
      `Codex has no home: "${home}" does not exist.`,
      'Log in with "codex login", or set home to a folder of its own for this agent.',
    );
  }
}

/** Creates a home that was set for the agent when it is first needed. */
export async function readyHome(agent: ProviderAgent): Promise<string> {
  const home = await homeOf(agent);
  if (agent.settings.home) await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}
