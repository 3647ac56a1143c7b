/** Which folder is the home: the flag, REPRISE_HOME, or the state folder of the XDG standard. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Surroundings } from "./surroundings.ts";

export function homeFolder(
  flag: string | undefined,
  { env, cwd }: Pick<Surroundings, "env" | "cwd">,
): string {
  const chosen = flag || env.REPRISE_HOME;
  if (chosen) return resolve(cwd, chosen);
  const state = env.XDG_STATE_HOME;
  // The XDG standard says that a relative path is to be ignored.
  if (state?.startsWith("/")) return join(state, "reprise");
  return join(env.HOME || homedir(), ".local", "state", "reprise");
}
