/** The account that codex would use: the id of a login, or a keyed digest of an API key. */

import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import { parse } from "smol-toml";
import { readParsed } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";
import { homeOf } from "./home.ts";
import { configOf } from "./settings.ts";

export const howToLogIn =
  'Log in with "codex login" in the agent\'s home, or set the API key that its config.toml names.';

interface Config {
  /** `file` by default; otherwise a login may be in the system's key store. */
  readonly cli_auth_credentials_store?: string;
  readonly model_provider?: string;
  readonly model_providers?: Readonly<
    Record<string, { readonly env_key?: string; readonly requires_openai_auth?: boolean }>
  >;
}

interface Login {
  readonly OPENAI_API_KEY?: string | null;
  readonly tokens?: { readonly account_id?: string | null } | null;
}

/** Null when it is unknown, as with credentials in the system's key store. */
export async function accountOf(
  agent: ProviderAgent,
  home: string,
  digest: Hash,
): Promise<string | null> {
  const { env } = agent;
  const { provider, needsOpenai } = chosen(await configIn(agent, home));
  const keyed = (key: string) => `key:${digest(key)}`;

  if (provider?.env_key) {
    const key = env[provider.env_key];
    return key ? keyed(key) : null;
  }
  if (!needsOpenai) return null;

  // In the order in which codex exec looks for them.
  if (env.CODEX_API_KEY) return keyed(env.CODEX_API_KEY);
  const login: Login = await readParsed(join(home, "auth.json"));
  if (login.tokens?.account_id) return `chatgpt:${login.tokens.account_id}`;
  const key = login.OPENAI_API_KEY || env.OPENAI_API_KEY;
  return key ? keyed(key) : null;
}

export async function lacksLogin(agent: ProviderAgent): Promise<boolean> {
  const home = await homeOf(agent);
  const config = await configIn(agent, home);
  const { provider, needsOpenai } = chosen(config);
  const isInFile = (config.cli_auth_credentials_store ?? "file") === "file";
  if (!provider?.env_key && !(needsOpenai && isInFile)) return false;
  return (await accountOf(agent, home, () => "known")) === null;
}

async function configIn({ settings }: ProviderAgent, home: string): Promise<Config> {
  return configOf(settings).reduce<Config>(
    (below, [key, value]) => merge(below, override(key, value)),
    await readParsed<Config>(join(home, "config.toml"), parse),
  );
}

/** The model provider that codex would ask, and whether that takes a login at OpenAI. */
function chosen({ model_provider: name = "openai", model_providers }: Config) {
  const provider = model_providers?.[name];
  return { provider, needsOpenai: name === "openai" || provider?.requires_openai_auth === true };
}

/** As codex reads it: a value that is not TOML is a string. */
function override(key: string, value: string): Config {
  try {
    return parse(`${key} = ${value}`);
  } catch {
    return parse(`${key} = ${JSON.stringify(value)}`);
  }
}

function merge<T extends object>(below: T, above: object): T {
  const merged = { ...below } as Record<string, unknown>;
  for (const [key, value] of Object.entries(above))
    merged[key] = isTable(merged[key]) && isTable(value) ? merge(merged[key], value) : value;
  return merged as T;
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
