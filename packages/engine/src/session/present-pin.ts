/** The pin of a session as its next turn will see it. */

import type { Pin } from "@reprise/core/session/pin";
import type { Engine } from "../engine.ts";
import { bindAgent, inPresentHome, isGone, probe } from "../turn/observe.ts";

/** The agent's program is asked only if the home of the agent has moved; without it the pin stays as it is. */
export async function presentPin<P extends Pin | null>(engine: Engine, pin: P): Promise<P | Pin> {
  if (pin === null || !isGone(pin.runtime.home)) return pin;
  const agent = await engine.store.readAgent(pin.agent);
  if (agent?.provider !== pin.provider) return pin;
  const found = await probe(engine, bindAgent(engine, agent), { writes: false }).catch(() => null);
  return found ? inPresentHome(pin, found.runtime.home) : pin;
}
