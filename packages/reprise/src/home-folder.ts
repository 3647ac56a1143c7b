/** Finds the home folder: the named one, REPRISE_HOME, or the state folder of the XDG standard. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export function homeFolder(named: string | undefined, { env, cwd }: Surroundings): string {
  const chosen = named || env.REPRISE_HOME;
  if (chosen) return resolve(cwd, chosen);
  const state = env.XDG_STATE_HOME;
  // The XDG standard says that a relative path is to be ignored.
  if (state?.startsWith("/")) return join(state, "reprise");
  return join(env.HOME || homedir(), ".local", "state", "reprise");
}
