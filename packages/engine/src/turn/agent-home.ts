/** Finds the provider sessions of an agent whose home has another path than it had. */

import { statSync } from "node:fs";
import type { Pin } from "@reprise/core/session/pin";
import { rebasedPin } from "@reprise/core/session/places";

/**
 * The pin in the agent's present home, if the home that it names is gone: that one has moved, is mounted elsewhere, or
 * was on another machine. A home that is still there is another home, of which the guard `runtime` judges.
 */
export function inPresentHome(pin: Pin, home: string): Pin {
  if (pin.runtime.home === home || !isGone(pin.runtime.home)) return pin;
  return rebasedPin(pin, pin.runtime.home, home);
}

/** A folder that cannot be looked at may be there. */
export function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
