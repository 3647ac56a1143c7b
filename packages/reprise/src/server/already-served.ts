/** The error for a home that already has a server. */

import { BusyError } from "@reprise/core/errors/errors";
import { isShared } from "@reprise/engine/home";
import type { FoundServer } from "./server-record.ts";

export function alreadyServed(home: string, found: FoundServer): BusyError {
  if (found.state === "none" || found.state === "gone")
    return new BusyError(
      "already-served",
      `Another server of the home ${home} is about to start or to stop.`,
      'See "reprise status", and try again in a moment.',
    );
  const { url, process, startedAt } = found.record;
  const where = `${url} since ${new Date(startedAt).toISOString()} (process ${process.pid} on ${process.host})`;
  return found.state === "answers"
    ? new BusyError(
        "already-served",
        `The home ${home} is served at ${where}.`,
        isShared(home)
          ? 'Use that one, stop it with "reprise down", or start another with --port.'
          : 'Use that one, or stop it with "reprise down".',
      )
    : new BusyError(
        "already-served",
        `The home ${home} is served at ${where}, but it does not answer here.`,
        'Look at that process; "reprise down" stops it where it runs.',
      );
}
