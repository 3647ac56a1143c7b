/** Refuses to a process that an agent started what only a person may do. */

import { DeniedError } from "@reprise/core/errors/errors";
import { turnAround } from "@reprise/providers/launch/process";

/**
 * `doing` as in "answer what waits for a person". A process that has left its ancestors and its environment
 * is not recognized; see docs/security.md.
 * @throws DeniedError `inside-turn` if this process or one of its ancestors belongs to a turn.
 */
export function requireOutsideTurn(doing: string): void {
  const turn = turnAround();
  if (turn === null) return;
  throw new DeniedError(
    "inside-turn",
    `An agent may not ${doing}: this process was started in turn ${turn.slice(0, 12)}.`,
    "Do it from your own terminal or on the page. Nothing was changed.",
  );
}

export const answering = "answer what waits for a person";
