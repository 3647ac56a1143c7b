/** Checks an agent's settings on this machine, and reads the credentials that they name. */

import { isAbsolute } from "node:path";
import { NotFoundError } from "@reprise/core/errors/errors";
import {
  agentSettingSchema,
  badSetting,
  checkSetting,
  type DescribedSettings,
  secretReference,
  settingValues,
} from "@reprise/core/settings/agent-settings";
import type { ProviderAgent } from "./provider.ts";

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
