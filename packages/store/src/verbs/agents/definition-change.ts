/** The result of changing an agent or a class: its new state, and the data of the event. */

import { withChanges } from "@reprise/core/settings/changes";
import type { AgentChange, AgentClass } from "../../contract/agents.ts";
import { doneBy } from "../events/events.ts";

/** Null if nothing changes. */
export function changeOf<Definition extends AgentClass>(
  before: Definition,
  { name: _, at: __, by, settings: changes, ...named }: AgentChange,
): { readonly after: Definition; readonly data: object } | null {
  const changed = Object.fromEntries(
    Object.entries(named).filter(
      ([field, value]) => value !== undefined && !isSame(value, before[field as keyof Definition]),
    ),
  );
  const reset = Object.keys(changes).filter(
    (setting) => (before.settings[setting] ?? null) !== changes[setting],
  );
  if (Object.keys(changed).length + reset.length === 0) return null;
  return {
    after: { ...before, ...changed, settings: withChanges(before.settings, changes) },
    // Settings may contain private text or secrets, so the event has only their names.
    data: {
      ...changed,
      ...(reset.length > 0 && { settings: reset.toSorted() }),
      ...doneBy({ by }),
    },
  };
}

/** Compares lists by their content. */
function isSame(one: unknown, other: unknown): boolean {
  return Array.isArray(one) ? JSON.stringify(one) === JSON.stringify(other) : one === other;
}
