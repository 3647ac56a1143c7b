/** Where opencode keeps its data, configuration, state and cache: the XDG folders, or those below a home of the agent's own. */

import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { realPath } from "../files.ts";
import type { ProviderAgent } from "../provider.ts";

/** The folders below a home, by the variable that names each. */
const folders = {
  XDG_DATA_HOME: ".local/share",
  XDG_CONFIG_HOME: ".config",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
} as const;

type Folders = Readonly<Record<keyof typeof folders, string>>;

/** The real path of the agent's home, whether it exists or not. */
export function homeOf({ settings, env }: ProviderAgent): Promise<string> {
  return realPath(settings.home || env.HOME || homedir());
}

/** The variables that lead opencode into a home that was set for the agent; none otherwise. */
export function homeVariables({ settings }: ProviderAgent): Partial<Folders> {
  return settings.home ? below(settings.home) : {};
}

/** Opencode's own folders for this agent. */
export async function foldersOf(agent: ProviderAgent): Promise<Folders> {
  const set = agent.settings.home ? {} : given(agent.env);
  return { ...below(await homeOf(agent)), ...set };
}

/** The folder that has `opencode.db`, `auth.json` and the databases of Reprise's sessions, as a real path. */
export async function placeOf(agent: ProviderAgent): Promise<string> {
  return realPath(join((await foldersOf(agent)).XDG_DATA_HOME, "opencode"));
}

/** Creates it when it is first needed, accessible to its owner alone. */
export async function readyPlace(agent: ProviderAgent): Promise<string> {
  const place = await placeOf(agent);
  if (agent.settings.home) await mkdir(place, { recursive: true, mode: 0o700 });
  return place;
}

function below(home: string): Folders {
  const paths = Object.entries(folders).map(([name, folder]) => [name, join(home, folder)]);
  return Object.fromEntries(paths);
}

/** An empty variable counts as none. */
function given(env: ProviderAgent["env"]): Partial<Folders> {
  const names = Object.keys(folders) as (keyof Folders)[];
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
