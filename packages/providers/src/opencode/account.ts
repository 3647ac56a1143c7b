/** The account that opencode would use: that of the service which its model belongs to. */

import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import { readParsed } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";
import { ownConfiguration } from "./configuration.ts";
import { foldersOf } from "./home.ts";

export const howToLogIn = 'Log in with "opencode auth login", or set the API key of the service.';

interface Config {
  readonly model?: string;
  readonly provider?: Readonly<
    Record<string, { readonly env?: readonly string[]; readonly options?: { apiKey?: string } }>
  >;
}

interface Login {
  readonly type?: string;
  readonly key?: string;
  readonly accountId?: string;
}

/**
 * The id of a login, or a keyed digest of an API key. Null when it is unknown: no model is configured and there is not
 * exactly one login, or the key is where Reprise does not look.
 */
export async function accountOf(agent: ProviderAgent, digest: Hash): Promise<string | null> {
  const { env } = agent;
  const folders = await foldersOf(agent);
  const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) =>
    join(folders.XDG_CONFIG_HOME, "opencode", name),
  );
  const configs = await Promise.all(
    [...files, env.OPENCODE_CONFIG ?? ""].map((file) => readParsed<Config>(file)),
  );
  const all: readonly Config[] = [...configs, ownConfiguration(env.OPENCODE_CONFIG_CONTENT)];
  const logins = env.OPENCODE_AUTH_CONTENT
    ? (ownConfiguration(env.OPENCODE_AUTH_CONTENT) as Record<string, Login>)
    : await readParsed<Record<string, Login>>(join(folders.XDG_DATA_HOME, "opencode", "auth.json"));

  const names = Object.keys(logins);
  const model = all.findLast((config) => config.model !== undefined)?.model;
  const service = model?.split("/")[0] ?? (names.length === 1 ? names[0] : undefined);
  if (service === undefined) return null;
  const login = Object.hasOwn(logins, service) ? logins[service] : undefined;
  if (login?.accountId) return `${service}:${login.accountId}`;
  const own = all.flatMap((config) => config.provider?.[service] ?? []);
  const written = own.findLast(({ options }) => options?.apiKey)?.options?.apiKey;
  const named = own.flatMap(({ env: variables = [] }) => variables);
  const variables = [...named, `${service.toUpperCase().replaceAll("-", "_")}_API_KEY`];
  const key = written
    ? substituted(written, env)
    : (login?.key ?? variables.map((name) => env[name]).find((value) => value));
  return key ? `key:${digest(key)}` : null;
}

/** As opencode writes a variable in its configuration; a key in a file is not read. */
function substituted(value: string, env: ProviderAgent["env"]): string | undefined {
  const [, name] = /^\{env:([^}]+)\}$/.exec(value) ?? [];
  if (name !== undefined) return env[name];
  return value.includes("{file:") ? undefined : value;
}
