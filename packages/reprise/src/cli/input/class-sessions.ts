/** Refuses `--sessions` for a class: only the agents made from it have sessions. */

import { UsageError } from "@reprise/core/errors/errors";

export function refuseSessions(name: string, sessions: string | undefined): void {
  if (sessions === undefined) return;
  throw new UsageError(
    "class-without-sessions",
    `Class ${name} has no sessions of its own.`,
    "Leave --sessions out; give it to the agents that are made from the class.",
  );
}
