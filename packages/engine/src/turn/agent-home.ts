/** Finds the provider sessions of an agent whose home has another path than it had. */

import { existsSync } from "node:fs";
import type { Pin } from "@reprise/core/session/pin";
import { rebasedPin } from "@reprise/core/session/places";

/**
 * The pin in the agent's present home, if the home that it names is gone: that one has moved, is mounted elsewhere, or
 * was on another machine. A home that is still there is another home, of which the guard `runtime` judges.
 */
export function inPresentHome(pin: Pin, home: string): Pin {
  if (pin.runtime.home === home || existsSync(pin.runtime.home)) return pin;
  return rebasedPin(pin, pin.runtime.home, home);
}
