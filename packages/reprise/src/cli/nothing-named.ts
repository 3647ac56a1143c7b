/** The error of a command that accepts a run, a turn or a session, when the name is none of them. */

import { NotFoundError } from "@reprise/core/errors/errors";

export function nothingNamed(what: string): NotFoundError {
  return new NotFoundError(
    "nothing-named",
    `There is no run, turn or session ${what}.`,
    '"reprise runs" lists the runs, "reprise session list" the sessions, and "reprise session show KEY" the turns of one.',
  );
}
