/** The account that claude would use: the id of a login, or a keyed digest of a key or token. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import { readParsed } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";
import { configFile, homeOf } from "./home.ts";

export const howToLogIn =
  'Log in with "claude /login" in the agent\'s home, or set ANTHROPIC_API_KEY.';

/** In the order in which `claude --print` takes them: a key in the environment is used before a login. */
const credentials = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"];

/** Null when it is unknown. */
export async function accountOf(agent: ProviderAgent, digest: Hash): Promise<string | null> {
  const key = credentials.map((name) => agent.env[name]).find((value) => value);
  if (key) return `key:${digest(key)}`;
  const id = await loginOf(agent);
  return id ? `claude:${id}` : null;
}

/** Services that have logins of their own, outside of claude's home. */
const services = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

/** On macOS the login is in the keychain, which is not read. */
export async function lacksLogin(
  agent: ProviderAgent,
  platform: string = process.platform,
): Promise<boolean> {
  const home = await homeOf(agent);
  const { apiKeyHelper, env } = await readParsed<Settings>(join(home, "settings.json"));
  const { primaryApiKey } = await readParsed<Config>(configFile(agent));
  const named = [...credentials, ...services].some((name) => agent.env[name] || env?.[name]);
  if (named || apiKeyHelper || primaryApiKey || platform === "darwin") return false;
  return !existsSync(join(home, ".credentials.json"));
}

interface Settings {
  readonly apiKeyHelper?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Config {
  readonly oauthAccount?: { readonly accountUuid?: string };
  readonly primaryApiKey?: string;
}

async function loginOf(agent: ProviderAgent): Promise<string | undefined> {
  return (await readParsed<Config>(configFile(agent))).oauthAccount?.accountUuid;
}
