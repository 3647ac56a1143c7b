/** What only a person may do is refused to a process that an agent started. */

import { DeniedError } from "@reprise/core/errors/errors";
import { turnAround } from "@reprise/providers/launch/process";

/**
 * `doing` as in "answer what waits for a person". A process that left its ancestors and its environment
 * behind is not recognised; docs/security.md says what follows from that.
 * @throws DeniedError `inside-turn` when this process or an ancestor of it belongs to a turn.
 */
export function requireOutsideTurn(doing: string): void {
  const turn = turnAround();
  if (turn === null) return;
  throw new DeniedError(
    "inside-turn",
    `An agent may not ${doing}: this process was started in turn ${turn.slice(0, 12)}.`,
    "Do it from a terminal of your own, or on the page; nothing was changed.",
  );
}

export const answering = "answer what waits for a person";
