/**
 * An agent as one turn sees it: its own settings, overridden by those of the turn. Everything that a turn
 * changes only for itself is combined here; the agent itself stays unchanged.
 */

import type { TurnRequest } from "./turn.ts";

interface Settled {
  readonly settings: Readonly<Record<string, string>>;
}

export function effectiveAgent<Agent extends Settled>(
  agent: Agent,
  { settings }: Pick<TurnRequest, "settings">,
): Agent {
  if (settings === undefined || Object.keys(settings).length === 0) return agent;
  const merged = { ...agent.settings, ...settings };
  const kept = Object.entries(merged).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return { ...agent, settings: Object.fromEntries(kept) };
}

/** The settings that a turn must give so that an agent with the settings `own` works with exactly `wanted`. */
export function settingsForTurn(
  own: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const changed = Object.entries(wanted).filter(([name, value]) => own[name] !== value);
  const removed = Object.keys(own).filter((name) => !Object.hasOwn(wanted, name));
  return {
    ...Object.fromEntries(changed),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}
