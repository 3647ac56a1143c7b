/**
 * What can be seen of an owner from here, without a store: the only place that asks the process table about owners.
 * Whether an owner that cannot be seen is gone is decided by `hosts.ts`.
 */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import {
  isStopped as isStoppedProcess,
  type Presence,
  presence,
  self,
} from "@reprise/providers/launch/process";

export function ownIdentity(): ProcessIdentity {
  return self();
}

/** `unseen`: on another machine or in another pid namespace. */
export function seen(owner: ProcessIdentity): Presence {
  return presence(owner);
}

/** False for a recycled pid or a zombie; a process that cannot be seen from here counts as alive. */
export function isAlive(owner: ProcessIdentity): boolean {
  return seen(owner) !== "gone";
}

/** False for a process on another machine or in another pid namespace. */
export function canSee(owner: ProcessIdentity): boolean {
  return seen(owner) !== "unseen";
}

/** Whether it is alive on this machine and stopped, for example by Ctrl-Z. */
export function isStopped(owner: ProcessIdentity): boolean {
  return isStoppedProcess(owner);
}
