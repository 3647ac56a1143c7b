/** The identity of this process, and whether another process is alive. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import { lives, presence, self } from "@reprise/providers/launch/process";

export function ownIdentity(): ProcessIdentity {
  return self();
}

/** False for a recycled pid or a zombie; a process that cannot be seen from here counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  return lives(identity);
}

/** False for a process on another machine or in another pid namespace. */
export function canSee(identity: ProcessIdentity): boolean {
  return presence(identity) !== "unseen";
}
