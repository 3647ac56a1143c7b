/** What providers are built from: their definition, settings and bridges; and what is wrong with a value that is none. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { accessLevels } from "@reprise/core/session/access";
import {
  agentSettingSchema,
  badSetting,
  checkSetting,
  type DescribedSettings,
  secretReference,
  settingValues,
} from "@reprise/core/settings/agent-settings";
import {
  abilitySentences,
  contractVersion,
  type ProviderAbility,
  type ProviderManifest,
} from "./manifest.ts";
import type { Provider, ProviderAgent } from "./provider.ts";

export interface ProviderDefinition extends Omit<Provider, "contract" | "validate"> {
  /**
   * What the schema of the settings cannot say, such as two settings that exclude each other.
   * @throws UsageError
   */
  validate?(agent: ProviderAgent): Promise<void>;
}

/**
 * A provider from its definition. Settings are checked by the schema in the manifest first.
 * @throws UsageError `bad-provider` when the definition contradicts itself.
 * @example
 * export default defineProvider({ manifest, probe, command, reader, place, observe, copyOut, copyIn });
 */
export function defineProvider(definition: ProviderDefinition): Provider {
  const provider: Provider = {
    ...definition,
    contract: contractVersion,
    async validate(agent) {
      checkAgentSettings(definition.manifest, agent.settings);
      await definition.validate?.(agent);
    },
  };
  const problem = providerProblem(provider);
  if (problem !== null) throw badProvider(problem);
  return provider;
}

export function badProvider(problem: string): UsageError {
  return new UsageError(
    "bad-provider",
    problem,
    "Correct it as docs/writing-a-provider.md describes.",
  );
}

const requiredMethods = [
  "validate",
  "probe",
  "command",
  "reader",
  "place",
  "observe",
  "copyOut",
  "copyIn",
] as const satisfies readonly (keyof Provider)[];

/** The method that an ability needs. */
const abilityMethods: Readonly<Partial<Record<ProviderAbility, keyof Provider>>> = {
  "fork-copy": "relocate",
  compact: "compact",
  open: "interactive",
  schema: "takesSchema",
  rewind: "earlier",
};

const nameGrammar = /^[a-z][a-z0-9-]{0,39}$/;

/** Why the value is not a provider that this version can use, in one sentence; null when it is. */
export function providerProblem(value: unknown): string | null {
  const provider = (value ?? {}) as Partial<Provider>;
  const { manifest, contract } = provider;
  if (typeof manifest !== "object" || manifest === null)
    return "It is not a provider: it has no manifest.";
  const name = String(manifest.name);
  if (!nameGrammar.test(name))
    return `"${name}" cannot be a provider's name: use lower-case letters, digits and "-".`;
  if (contract !== contractVersion)
    return `The provider ${name} was written for version ${contract ?? "0"} of the provider contract, and this Reprise has version ${contractVersion}.`;
  const missing = requiredMethods.find((method) => typeof provider[method] !== "function");
  if (missing) return `The provider ${name} has no function ${missing}.`;
  return manifestProblem(manifest) ?? abilityProblem(provider as Provider);
}

function manifestProblem(manifest: ProviderManifest): string | null {
  const { name, runners, outputs, program, settings, access, idPattern, checkpoint } = manifest;
  const wrong = (field: string, expected: string) =>
    `The manifest of ${name} has a wrong ${field}: it must be ${expected}.`;
  if (typeof manifest.title !== "string") return wrong("title", "a text");
  if (!isListOf(runners, (runner) => nameGrammar.test(runner)))
    return wrong("runners", 'a list of names of lower-case letters, digits and "-"');
  if (outputs !== undefined && !isListOf(outputs)) return wrong("outputs", "a list of names");
  if (!program?.product || !isListOf(program.tested) || typeof program.install !== "string")
    return wrong("program", "an object with product, tested and install");
  if (!isListOf(manifest.abilities, (ability) => Object.hasOwn(abilitySentences, ability)))
    return wrong("abilities", `a list of ${Object.keys(abilitySentences).join(", ")}`);
  const schemas = Object.values({ ...settings?.properties, ...settings?.patternProperties });
  if (!settings?.properties || schemas.some((schema) => typeof schema?.description !== "string"))
    return wrong("settings", "an object with properties, each with a description");
  const levels = Object.keys(access?.levels ?? {});
  if (
    levels.length === 0 ||
    !isListOf(levels, (level) => accessLevels.some((one) => one === level))
  )
    return wrong("access", `an object with levels, at least one of ${accessLevels.join(", ")}`);
  if (typeof access.given !== "function" || !isListOf(access.limits))
    return wrong("access", "an object with levels, limits, asks and given");
  if (!(idPattern instanceof RegExp)) return wrong("idPattern", "a regular expression");
  if (!["caller", "captured"].includes(manifest.ids)) return wrong("ids", "caller or captured");
  if (!["turn", "session"].includes(manifest.usage)) return wrong("usage", "turn or session");
  if (!["file", "export", "state", "none"].includes(checkpoint))
    return wrong("checkpoint", "file, export, state or none");
  if (!Number.isSafeInteger(manifest.maxPrompt) || manifest.maxPrompt < 1)
    return wrong("maxPrompt", "a number of bytes");
  if (!Array.isArray(manifest.bridges)) return wrong("bridges", "a list");
  return null;
}

function abilityProblem(provider: Provider): string | null {
  const { name, abilities, checkpoint } = provider.manifest;
  for (const ability of abilities) {
    const method = abilityMethods[ability];
    if (method && typeof provider[method] !== "function")
      return `The provider ${name} has the ability ${ability}, but no function ${method}.`;
  }
  for (const [ability, method] of Object.entries(abilityMethods))
    if (ability !== "fork-copy" && provider[method] && !abilities.some((one) => one === ability))
      return `The provider ${name} has a function ${method}, but not the ability ${ability}.`;
  if (checkpoint === "none" && abilities.includes("fork-copy"))
    return `The provider ${name} has the ability fork-copy, but no checkpoint to copy.`;
  return null;
}

function isListOf(value: unknown, fits: (item: string) => boolean = () => true): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string" && fits(item));
}

/** Whether the manifest lists the ability. */
export function can({ manifest }: Pick<Provider, "manifest">, ability: ProviderAbility): boolean {
  return manifest.abilities.includes(ability);
}

// Checks an agent's settings on this machine, and reads the credentials that they name.

/** @throws UsageError for a name that neither the provider nor Reprise has, and for a value that does not fit. */
export function checkAgentSettings(
  manifest: DescribedSettings,
  settings: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(settings)) {
    checkSetting(manifest, name, value);
    const schema = agentSettingSchema(manifest, name);
    for (const part of settingValues(schema, value)) {
      if (schema.format === "path" && !isAbsolute(part))
        throw badSetting(name, part, "which is not an absolute path", "Give an absolute path.");
      // Turns are sent from any folder, so a relative path would name a different file each time.
      if (schema.format === "program" && part.includes("/") && !isAbsolute(part))
        throw badSetting(
          name,
          part,
          "which is not an absolute path",
          "Give an absolute path, or a name on the PATH.",
        );
    }
  }
}

/**
 * The credential that a setting with the format `secret` names; undefined when it is not set.
 * @throws NotFoundError when the environment does not have the variable.
 */
export function secretSetting(
  { settings, env }: Pick<ProviderAgent, "settings" | "env">,
  name: string,
): string | undefined {
  const value = settings[name];
  if (value === undefined) return undefined;
  const variable = secretReference.exec(value)?.[1] ?? "";
  const secret = env[variable];
  if (secret) return secret;
  throw new NotFoundError(
    "no-secret",
    `The setting ${name} names the environment variable ${variable}, which is not set.`,
    `Set ${variable} where Reprise is started.`,
  );
}

// Bridges: small executables that a provider starts, such as one that speaks an agent's protocol.

export interface Bridge {
  /** The file name in a build of Reprise, without `.js`. */
  readonly name: string;
  /** The file that is built, or run as it is. */
  readonly source: string;
}

/** `source` is relative to the module at `base`, which is its `import.meta.url`. */
export function bridge(name: string, source: string, base: string): Bridge {
  return { name, source: fileURLToPath(new URL(source, base)) };
}

/** The file to start: the source where it is there, else the one that was built beside this module. */
export function bridgePath({ name, source }: Bridge): string {
  return existsSync(source) ? source : fileURLToPath(new URL(`./${name}.js`, import.meta.url));
}
