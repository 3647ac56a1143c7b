/** That a class has no sessions: how they begin is said of the agents that are made from it. */

import { UsageError } from "@reprise/core/errors/errors";

export function refuseSessions(name: string, sessions: string | undefined): void {
  if (sessions === undefined) return;
  throw new UsageError(
    "class-without-sessions",
    `Class ${name} has no sessions of its own.`,
    "Leave --sessions out; give it to the agents that are made from the class.",
  );
}
