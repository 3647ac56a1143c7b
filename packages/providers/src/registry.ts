/** All providers by their name. */

import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import { claude } from "./claude/provider.ts";
import { codex } from "./codex/provider.ts";
import type { Provider } from "./provider.ts";
import { scripted } from "./scripted/provider.ts";

const providers: Readonly<Record<string, Provider>> = { claude, codex, scripted };

export const providerNames = Object.keys(providers);

/** @throws UsageError for a provider that does not exist. */
export function findProvider(name: string): Provider {
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider) return provider;
  throw new UsageError(
    "no-provider",
    `There is no provider "${name}".`,
    suggest(name, providerNames),
  );
}
