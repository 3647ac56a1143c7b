/** Reads settings from the caller's flags, the environment, the project's file and the user's file. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorView, UsageError } from "@reprise/core/errors/errors";
import {
  environmentLayer,
  type ResolvedSettings,
  resolveSettings,
  type SettingsLayer,
} from "@reprise/core/settings/settings";
import { readBounded } from "@reprise/providers/files";

const maxSettingsFile = 1024 * 1024;

export interface ConfigSources {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Reports mistakes in the user's file in `broken` instead of throwing. */
  readonly tolerant?: boolean;
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
  const { flags, env, tolerant = false } = sources;
  const { layer, problem } = await projectLayer(configFile("project", sources));
  const user = await userLayer(configFile("user", sources), tolerant);
  const resolved = resolveSettings([
    { origin: "flag", values: flags },
    environmentLayer(env),
    layer,
    user.layer,
  ]);
  return {
    ...resolved,
    ignored: [...(problem === null ? [] : [problem]), ...resolved.ignored],
    broken: [...(user.problem === null ? [] : [user.problem]), ...resolved.broken],
  };
}

async function userLayer(
  path: string,
  tolerant: boolean,
): Promise<{ readonly layer: SettingsLayer; readonly problem: string | null }> {
  try {
    return { layer: { ...(await fileLayer(path)), tolerant }, problem: null };
  } catch (error) {
    if (!tolerant) throw error;
    const { message, hint } = errorView(error);
    const problem = [message, hint].filter(Boolean).join(" ");
    return { layer: { origin: path, values: {} }, problem };
  }
}

/** A project's file may come from a stranger: if it cannot be read, it is ignored and reported. */
async function projectLayer(
  path: string,
): Promise<{ readonly layer: SettingsLayer; readonly problem: string | null }> {
  const layer: SettingsLayer = { origin: path, values: {}, scope: "project" };
  try {
    const found = await stat(path).catch(() => null);
    if (found && (!found.isFile() || found.size > maxSettingsFile))
      return { layer, problem: `Ignored: ${path} is not a regular file of at most 1 MiB.` };
    return { layer: { ...(await fileLayer(path)), scope: "project" }, problem: null };
  } catch (error) {
    return { layer, problem: `Ignored: ${(error as Error).message}` };
  }
}

/** Bounded, because a project's settings file may be anything that a repository can contain. */
export async function readSettingsFile(path: string): Promise<string> {
  const bytes = await readBounded(path, { limit: maxSettingsFile, what: "settings file" });
  return bytes.toString("utf8");
}

async function fileLayer(path: string): Promise<SettingsLayer> {
  const text = await readSettingsFile(path).catch((error) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return "";
    throw error;
  });
  if (text === "") return { origin: path, values: {} };
  // The YAML parser is large, and most homes have no settings file.
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
