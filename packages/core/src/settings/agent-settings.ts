/** The settings of an agent: what a provider's manifest says about them, and the checks that need no machine. */

import { UsageError } from "../errors/errors.ts";
import { suggest } from "../errors/suggestion.ts";
import { onQuotaChoices } from "../session/quota.ts";

/** One setting of an agent. Values are texts, as `reprise agent create --set NAME=VALUE` gives them. */
export interface SettingSchema {
  /** One sentence. */
  readonly description: string;
  readonly enum?: readonly string[];
  /** A regular expression that the whole value matches. */
  readonly pattern?: string;
  /**
   * `path`: a file or folder; a relative one becomes absolute when the agent is created. `program`: a path, or a name
   * on the PATH. `command`: a program with its arguments. `secret`: a credential; the value is `env:NAME`, the environment variable that has it, so that the
   * credential itself is never stored.
   */
  readonly format?: "path" | "program" | "command" | "secret";
  /** The value is a list of such values, with this text between them. */
  readonly separator?: string;
  readonly default?: string;
}

/** The settings of an agent: a subset of JSON Schema, as plain data. */
export interface SettingsSchema {
  readonly properties: Readonly<Record<string, SettingSchema>>;
  /** Settings with names of the user's choice, by a pattern of the name. `title` is how help and documents write it. */
  readonly patternProperties?: Readonly<Record<string, SettingSchema & { readonly title: string }>>;
}

/** Read by Reprise itself, whatever the provider. */
export const commonSettings: Readonly<Record<string, SettingSchema>> = {
  instructions: { description: "Instructions for the agent, sent before its first prompt." },
  onQuota: {
    description:
      "What a turn does while the limit of its account is used up; the setting of the same name.",
    enum: onQuotaChoices,
  },
  quotaWait: {
    description: "How far away the reset may be for a turn to wait for it, such as 6h.",
    pattern: "\\d{1,9}(ms|s|m|h|d)",
  },
  quotaAgent: {
    description: "The agent that a turn goes to with onQuota: switch.",
    pattern: "[A-Za-z0-9][A-Za-z0-9._-]{0,63}",
  },
};

/** A provider's manifest, as far as it is about settings. */
export interface DescribedSettings {
  readonly name: string;
  readonly settings: SettingsSchema;
}

/** @throws UsageError for a name that neither the provider nor Reprise has. */
export function agentSettingSchema(manifest: DescribedSettings, name: string): SettingSchema {
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

/** A setting with a separator has several values. */
export function settingValues({ separator }: SettingSchema, value: string): string[] {
  return separator === undefined ? [value] : value.split(separator).map((part) => part.trim());
}

/** The environment variable of a credential. */
export const secretReference = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;

export function badSetting(name: string, value: string, problem: string, hint: string): UsageError {
  return new UsageError("bad-setting", `The setting ${name} is "${value}", ${problem}.`, hint);
}

/** @throws UsageError for an unknown name, and for a value that fits on no machine. */
export function checkSetting(manifest: DescribedSettings, name: string, value: string): void {
  const schema = agentSettingSchema(manifest, name);
  for (const part of settingValues(schema, value)) {
    if (schema.format === "secret" && !secretReference.test(part))
      // Without the value: it may be the credential itself.
      throw new UsageError(
        "bad-setting",
        `The setting ${name} is a secret, and secrets are not stored.`,
        `Put it into an environment variable and set ${name}=env:NAME.`,
      );
    if (schema.enum && !schema.enum.includes(part))
      throw badSetting(
        name,
        part,
        `which ${manifest.name} does not have`,
        suggest(part, schema.enum),
      );
    if (schema.pattern !== undefined && !new RegExp(`^(?:${schema.pattern})$`, "s").test(part))
      throw badSetting(name, part, "which it cannot be", schema.description);
  }
}
