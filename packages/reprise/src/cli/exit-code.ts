/** The exit codes of turns and runs. */

import type { RunView, TurnResult } from "@reprise/core/api/reprise";
import type { TurnStatus } from "@reprise/core/session/turn";

const byStatus: Record<TurnStatus, number> = {
  done: 0,
  skipped: 0,
  queued: 0,
  running: 0,
  waiting: 3,
  failed: 1,
  refused: 1,
  cancelled: 1,
  interrupted: 1,
};

export function turnExitCode({ turn, attempts }: TurnResult): number {
  const timedOut = attempts.at(-1)?.ending === "timed-out";
  return timedOut ? 6 : byStatus[turn.status];
}

const byRunStatus: Record<RunView["status"], number> = {
  done: 0,
  running: 0,
  waiting: 3,
  stuck: 3,
  failed: 1,
  rejected: 1,
  cancelled: 1,
};

export function runExitCode({ status }: RunView): number {
  return byRunStatus[status];
}

/** As `reprise --help` and the reference print them. */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "success, including a queued or skipped turn"],
  [
    "1",
    "failed, rejected, refused, cancelled or interrupted; busy, or a conflict such as a name that is taken",
  ],
  ["2", "usage error; nothing was changed"],
  ["3", "the turn or run waits for a person, or the run is stuck"],
  ["4", "not found"],
  ["5", "denied by the system or by a policy"],
  ["6", "timed out"],
  ["130, 143", "ended by Ctrl-C or by SIGTERM"],
];
