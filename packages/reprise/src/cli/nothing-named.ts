/** The error of a command that takes a run, a turn or a session, when what is named is none of them. */

import { NotFoundError } from "@reprise/core/errors/errors";

export function nothingNamed(what: string): NotFoundError {
  return new NotFoundError(
    "nothing-named",
    `There is no run, no turn and no session ${what}.`,
    "reprise runs lists the runs, reprise sessions list the sessions, sessions show KEY its turns.",
  );
}
