/** Who sits before the terminal, as far as the system says. */

import { userInfo } from "node:os";

export function userName(env: Readonly<Record<string, string | undefined>>): string {
  const named = env.REPRISE_USER || env.USER || env.LOGNAME;
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    // A number without a name in the system's list of users.
    return "somebody";
  }
}
