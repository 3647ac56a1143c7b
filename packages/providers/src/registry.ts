/** The providers that come with Reprise, and those that a user or program adds to them. */

import { type RepriseError, UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { SettingsSchema } from "@reprise/core/settings/agent-settings";
import type { Runner } from "@reprise/workflow/runners";
import { acp } from "./acp/provider.ts";
import { claude } from "./claude/provider.ts";
import { codex } from "./codex/provider.ts";
import { badProvider, providerProblem } from "./define-provider.ts";
import { gemini } from "./gemini/provider.ts";
import { openai } from "./openai/provider.ts";
import { opencode } from "./opencode/provider.ts";
import { pi } from "./pi/provider.ts";
import type { Provider } from "./provider.ts";
import { scripted } from "./scripted/provider.ts";

export const builtInProviders: readonly Provider[] = [
  acp,
  claude,
  codex,
  gemini,
  openai,
  opencode,
  pi,
  scripted,
];

/** Runner names that workflow files may already use, although this version has no provider for them. */
const futureRunners: readonly Omit<Runner, "available">[] = [
  { name: "openclaw", provider: "openclaw" },
];

/** A provider of the user's settings that could not be loaded. Only what needs it fails. */
export interface BrokenProvider {
  /** As the settings name it. */
  readonly module: string;
  readonly error: RepriseError;
}

export class ProviderRegistry {
  readonly providers: readonly Provider[];
  readonly names: readonly string[];
  /** What a workflow may name as the runner of a node. */
  readonly runners: readonly Runner[];
  readonly broken: readonly BrokenProvider[];

  /** @throws UsageError for a value that is not a provider, and for a name that is taken. */
  constructor(added: readonly Provider[] = [], broken: readonly BrokenProvider[] = []) {
    for (const provider of added) {
      const problem = providerProblem(provider);
      if (problem !== null) throw badProvider(problem);
    }
    this.providers = [...builtInProviders, ...added];
    requireDistinctNames(this.providers);
    this.names = this.providers.map(({ manifest }) => manifest.name);
    this.runners = runnersOf(this.providers);
    this.broken = broken;
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** @throws UsageError for a provider that does not exist. */
  find(name: string): Provider {
    const provider = this.providers.find(({ manifest }) => manifest.name === name);
    if (provider) return provider;
    const [broken] = this.broken;
    if (broken)
      throw new UsageError(
        "no-provider",
        `There is no provider "${name}", and one of your settings could not be loaded: ${broken.error.message}`,
        broken.error.hint,
      );
    throw new UsageError(
      "no-provider",
      `There is no provider "${name}".`,
      suggest(name, this.names),
    );
  }
}

function runnersOf(providers: readonly Provider[]): Runner[] {
  const available = providers.flatMap(
    ({ manifest: { name, runners, access, outputs, settings } }) =>
      (runners.length > 0 ? runners : [name]).map((runner) => ({
        name: runner,
        provider: name,
        available: true,
        asks: access.asks,
        settings: schemaOf(settings),
        ...(outputs && { outputs }),
      })),
  );
  const isNew = ({ name, provider }: Omit<Runner, "available">) =>
    !available.some((runner) => runner.name === name || runner.provider === provider);
  return [
    ...available,
    ...futureRunners.filter(isNew).map((runner) => ({ ...runner, available: false })),
  ];
}

/** Plain data, because workflows are also read in threads. */
function schemaOf({ properties, patternProperties }: SettingsSchema): SettingsSchema {
  return JSON.parse(JSON.stringify({ properties, patternProperties })) as SettingsSchema;
}

/** A runner and a provider may share a name only within one provider. */
function requireDistinctNames(providers: readonly Provider[]): void {
  const owners = new Map<string, Provider>();
  for (const provider of providers)
    for (const name of new Set([provider.manifest.name, ...provider.manifest.runners])) {
      const owner = owners.get(name);
      if (owner)
        throw new UsageError(
          "provider-exists",
          owner.manifest.name === provider.manifest.name
            ? `There are two providers named "${name}".`
            : `The providers ${owner.manifest.name} and ${provider.manifest.name} both have the name "${name}".`,
          "Rename one of them in its manifest, or load only one.",
        );
      owners.set(name, provider);
    }
}
