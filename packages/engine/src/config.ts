/** Where settings come from: the caller's flags, the environment, the project's file, the user's file. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import {
  environmentLayer,
  type ResolvedSettings,
  resolveSettings,
  type SettingsLayer,
} from "@reprise/core/settings/settings";

export interface ConfigSources {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The user's settings, or those of the project in the current folder. */
export type ConfigScope = "user" | "project";

export function configFile(
  scope: ConfigScope,
  { env, cwd }: Pick<ConfigSources, "env" | "cwd">,
): string {
  if (scope === "project") return join(cwd, ".reprise", "config.yaml");
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config");
  return join(folder, "reprise", "config.yaml");
}

export async function readSettings(sources: ConfigSources): Promise<ResolvedSettings> {
  const { flags, env } = sources;
  return resolveSettings([
    { origin: "flag", values: flags },
    environmentLayer(env),
    await fileLayer(configFile("project", sources)),
    await fileLayer(configFile("user", sources)),
  ]);
}

async function fileLayer(path: string): Promise<SettingsLayer> {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return "";
    throw error;
  });
  if (text === "") return { origin: path, values: {} };
  // Large, and most homes have no settings file.
  const { parse } = await import("yaml");
  try {
    return { origin: path, values: parse(text) ?? {} };
  } catch (error) {
    throw new UsageError(
      "bad-config",
      `The settings file ${path} is not valid YAML: ${(error as Error).message.split(":\n", 1)[0]}.`,
      "Correct the file, or move it away.",
    );
  }
}
