/** Checks an agent's settings, and defines those that all agents share. */

import { isAbsolute } from "node:path";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { ProviderManifest, SettingSchema } from "./manifest.ts";
import type { ProviderAgent } from "./provider.ts";

/** Read by Reprise itself, whatever the provider. */
export const commonSettings: Readonly<Record<string, SettingSchema>> = {
  instructions: { description: "Instructions for the agent, sent before its first prompt." },
};

type Settings = Readonly<Record<string, string>>;
type Described = Pick<ProviderManifest, "name" | "settings">;

/** @throws UsageError for a name that neither the provider nor Reprise has, and for a value that does not fit. */
export function checkAgentSettings(manifest: Described, settings: Settings): void {
  for (const [name, value] of Object.entries(settings)) {
    const schema = settingSchema(manifest, name);
    const parts = schema.separator === undefined ? [value] : value.split(schema.separator);
    for (const part of parts.map((each) => (schema.separator === undefined ? each : each.trim())))
      checkValue(manifest, name, schema, part);
  }
}

/** @throws UsageError for a name that neither the provider nor Reprise has. */
export function settingSchema(manifest: Described, name: string): SettingSchema {
  const { properties, patternProperties = {} } = manifest.settings;
  const known: Readonly<Record<string, SettingSchema>> = { ...properties, ...commonSettings };
  if (Object.hasOwn(known, name)) return known[name]!;
  const open = Object.entries(patternProperties);
  const [, found] = open.find(([pattern]) => new RegExp(pattern).test(name)) ?? [];
  if (found) return found;
  throw new UsageError(
    "unknown-setting",
    `An agent of ${manifest.name} has no setting "${name}".`,
    suggest(name, [...Object.keys(known), ...open.map(([, { title }]) => title)]),
  );
}

const secretReference = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;

function checkValue(manifest: Described, name: string, schema: SettingSchema, value: string): void {
  const refuse = (problem: string, hint: string): never => {
    throw new UsageError("bad-setting", `The setting ${name} is "${value}", ${problem}.`, hint);
  };
  if (schema.format === "secret" && !secretReference.test(value))
    // Without the value: it may be the credential itself.
    throw new UsageError(
      "bad-setting",
      `The setting ${name} is a secret, and secrets are not stored.`,
      `Put it into an environment variable and set ${name}=env:NAME.`,
    );
  if (schema.enum && !schema.enum.includes(value))
    refuse(`which ${manifest.name} does not have`, suggest(value, schema.enum));
  if (schema.pattern !== undefined && !new RegExp(`^(?:${schema.pattern})$`, "s").test(value))
    refuse("which it cannot be", schema.description);
  if (schema.format === "path" && !isAbsolute(value))
    refuse("which is not an absolute path", "Give an absolute path.");
  // Turns are sent from any folder, so a relative path would name a different file each time.
  if (schema.format === "program" && value.includes("/") && !isAbsolute(value))
    refuse("which is not an absolute path", "Give an absolute path, or a name on the PATH.");
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
