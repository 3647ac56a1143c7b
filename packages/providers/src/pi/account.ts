/**
 * The account that pi would use: that of its default model provider, since a home may have credentials for many. A keyed
 * digest of an API key, or the account id of a login.
 */

import { join } from "node:path";
import type { Hash } from "@reprise/core/conversation/slice";
import { readParsed } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";

export const howToLogIn =
  'Log in with "/login" in pi, or set the API key of the model\'s provider.';

interface Credential {
  readonly type?: string;
  readonly key?: string;
  readonly accountId?: string;
}

interface Models {
  readonly providers?: Readonly<Record<string, { readonly apiKey?: string }>>;
}

/** Null when it is unknown, as when pi would choose the provider by itself. */
export async function accountOf(
  { env }: ProviderAgent,
  home: string,
  digest: Hash,
): Promise<string | null> {
  const [settings, credentials, { providers = {} }] = await Promise.all([
    readParsed<{ defaultProvider: string }>(join(home, "settings.json")),
    readParsed<Record<string, Credential>>(join(home, "auth.json")),
    readParsed<Models>(join(home, "models.json")),
  ]);
  const known = [...new Set([...Object.keys(credentials), ...Object.keys(providers)])];
  const provider = settings.defaultProvider ?? (known.length === 1 ? known[0] : undefined);
  if (provider === undefined) return null;
  const { type, key, accountId } = credentials[provider] ?? {};
  // The tokens of a login change, and few name their account.
  if (type === "oauth") return accountId ? `${provider}:${accountId}` : null;
  const named = resolvedKey(key ?? providers[provider]?.apiKey, env);
  const used = named === undefined ? env[keyVariable(provider)] : named;
  return used ? `${provider}:key:${digest(used)}` : null;
}

/** Pi takes `$NAME` for an environment variable, and runs what begins with `!`: then the key is unknown here. */
function resolvedKey(
  key: string | undefined,
  env: ProviderAgent["env"],
): string | null | undefined {
  if (key?.startsWith("!")) return null;
  const [, name] = /^\$\{?(\w+)\}?$/.exec(key ?? "") ?? [];
  return name === undefined ? key : (env[name] ?? null);
}

/** As most of pi's model providers name it. */
function keyVariable(provider: string): string {
  return `${provider.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
}
