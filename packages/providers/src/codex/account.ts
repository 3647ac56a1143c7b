/** Whose account codex would use: the id of a login, or a keyed digest of an API key. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import { parse } from "smol-toml";
import type { ProviderAgent } from "../provider.ts";
import { configOf } from "./settings.ts";

interface Config {
  readonly model_provider?: string;
  readonly model_providers?: Readonly<
    Record<string, { readonly env_key?: string; readonly requires_openai_auth?: boolean }>
  >;
}

interface Login {
  readonly OPENAI_API_KEY?: string | null;
  readonly tokens?: { readonly account_id?: string | null } | null;
}

/** Null when it can not be told, as with credentials in the system's key store. */
export async function accountOf(
  { settings, env }: ProviderAgent,
  home: string,
  digest: Hash,
): Promise<string | null> {
  const config: Config = await readParsed(join(home, "config.toml"), parse);
  const own = Object.fromEntries(configOf(settings));
  const provider = own.model_provider?.replaceAll('"', "") ?? config.model_provider ?? "openai";
  const keyed = (key: string) => `key:${digest(key)}`;

  const configured = config.model_providers?.[provider];
  const keyName =
    own[`model_providers.${provider}.env_key`]?.replaceAll('"', "") ?? configured?.env_key;
  if (keyName) return env[keyName] ? keyed(env[keyName]) : null;
  if (provider !== "openai" && !configured?.requires_openai_auth) return null;

  // In the order in which codex exec looks for them.
  if (env.CODEX_API_KEY) return keyed(env.CODEX_API_KEY);
  const login: Login = await readParsed(join(home, "auth.json"), JSON.parse);
  if (login.tokens?.account_id) return `chatgpt:${login.tokens.account_id}`;
  const key = login.OPENAI_API_KEY || env.OPENAI_API_KEY;
  return key ? keyed(key) : null;
}

/** A file that is missing or wrong is codex's to complain about; here it tells nothing. */
async function readParsed<T extends object>(
  file: string,
  parseText: (text: string) => unknown,
): Promise<Partial<T>> {
  try {
    return (parseText(await readFile(file, "utf8")) ?? {}) as Partial<T>;
  } catch {
    return {};
  }
}
