/** Which process this is, and whether another one still lives. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import { lives, presence, self } from "@reprise/providers/launch/process";

export function ownIdentity(): ProcessIdentity {
  return self();
}

/** A recycled pid or a zombie is not the process; one that cannot be seen from here counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  return lives(identity);
}

/** False for a process of another machine or another pid namespace. */
export function canSee(identity: ProcessIdentity): boolean {
  return presence(identity) !== "unseen";
}
