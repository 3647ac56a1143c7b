/** The check that every provider's settings go through, and the settings that all agents share. */

import { isAbsolute } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import { suggest } from "@reprise/core/errors/suggestion";
import type { ProviderTraits } from "./provider.ts";

/** Read by Reprise itself, whatever the provider. */
export const commonSettings = {
  instructions: "What the agent is told before its first prompt.",
};

/**
 * A setting whose name ends with `KEY` stands for all that begin like it.
 * @throws UsageError for a name that neither the provider nor Reprise has, and for a relative path.
 */
export function checkAgentSettings(
  provider: string,
  { settings: known, paths }: Pick<ProviderTraits, "settings" | "paths">,
  settings: Readonly<Record<string, string>>,
): void {
  const names = [...Object.keys(known), ...Object.keys(commonSettings)];
  const open = names.filter((name) => name.endsWith("KEY")).map((name) => name.slice(0, -3));
  for (const [name, value] of Object.entries(settings)) {
    if (!names.includes(name) && !open.some((prefix) => name.startsWith(prefix)))
      throw new UsageError(
        "unknown-setting",
        `An agent of ${provider} has no setting "${name}".`,
        suggest(name, names),
      );
    if (paths.includes(name) && !isAbsolute(value))
      throw new UsageError(
        "bad-setting",
        `The setting ${name} is "${value}", which is not an absolute path.`,
        "Give a path that begins with a slash.",
      );
  }
}
