/** What a change of an agent or a class comes to: what it is afterwards, and what the event tells. */

import { withChanges } from "@reprise/core/settings/changes";
import type { AgentChange, AgentClass } from "../store.ts";

/** Null when it is like that already. */
export function changeOf<Definition extends AgentClass>(
  before: Definition,
  { name: _, at: __, settings: changes, ...named }: AgentChange,
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
    // Settings may hold anybody's words, and more: the event only names them.
    data: { ...changed, ...(reset.length > 0 && { settings: reset.toSorted() }) },
  };
}

/** Lists are compared by what is in them. */
function isSame(one: unknown, other: unknown): boolean {
  return Array.isArray(one) ? JSON.stringify(one) === JSON.stringify(other) : one === other;
}
