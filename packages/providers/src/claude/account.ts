/** The account that claude would use: the id of a login, or a keyed digest of a key or token. */

import type { Hash } from "@reprise/core/conversation/slice";
import { readAccountFile } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";
import { configFile } from "./home.ts";

/** In the order in which `claude --print` takes them: a key in the environment is used before a login. */
const credentials = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"];

/** Null when it is unknown. */
export async function accountOf(agent: ProviderAgent, digest: Hash): Promise<string | null> {
  const key = credentials.map((name) => agent.env[name]).find((value) => value);
  if (key) return `key:${digest(key)}`;
  const id = await loginOf(agent);
  return id ? `claude:${id}` : null;
}

async function loginOf(agent: ProviderAgent): Promise<string | undefined> {
  try {
    const { oauthAccount } = JSON.parse(await readAccountFile(configFile(agent)));
    return oauthAccount?.accountUuid;
  } catch {
    // Missing or invalid; claude itself reports that.
    return undefined;
  }
}
