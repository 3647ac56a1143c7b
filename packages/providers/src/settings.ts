/** The check that every provider's settings go through, and the settings that all agents share. */

import { isAbsolute } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { ProviderTraits } from "./provider.ts";

/** Read by Reprise itself, whatever the provider. */
export const commonSettings = {
  instructions: "What the agent is told before its first prompt.",
};

/** @throws UsageError for a name that neither the provider nor Reprise has, and for a relative path. */
export function checkAgentSettings(
  provider: string,
  traits: Pick<ProviderTraits, "settings" | "paths">,
  settings: Readonly<Record<string, string>>,
): void {
  const { paths } = traits;
  for (const [name, value] of Object.entries(settings)) {
    checkSettingName(provider, traits, name);
    if (paths.includes(name) && !isAbsolute(value))
      throw new UsageError(
        "bad-setting",
        `The setting ${name} is "${value}", which is not an absolute path.`,
        "Give a path that begins with a slash.",
      );
  }
}

/**
 * A setting whose name ends with `KEY` stands for all that begin like it.
 * @throws UsageError for a name that neither the provider nor Reprise has.
 */
export function checkSettingName(
  provider: string,
  { settings }: Pick<ProviderTraits, "settings">,
  name: string,
): void {
  const names = [...Object.keys(settings), ...Object.keys(commonSettings)];
  const open = names.filter((each) => each.endsWith("KEY")).map((each) => each.slice(0, -3));
  if (names.includes(name) || open.some((prefix) => name.startsWith(prefix))) return;
  throw new UsageError(
    "unknown-setting",
    `An agent of ${provider} has no setting "${name}".`,
    suggest(name, names),
  );
}
