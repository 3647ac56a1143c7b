/** Which process this is, and whether another one still lives, for whoever keeps a record of one. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import { lives, self } from "@reprise/providers/launch/process";

export function ownIdentity(): ProcessIdentity {
  return self();
}

/** A recycled pid or a zombie is not the process; one of another machine counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  return lives(identity);
}
