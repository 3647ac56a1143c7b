/** The name of the user, as the system reports it. */

import { userInfo } from "node:os";

export function userName(env: Readonly<Record<string, string | undefined>>): string {
  const named = env.REPRISE_USER || env.USER || env.LOGNAME;
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    // The user id has no name on this system.
    return "unknown";
  }
}
