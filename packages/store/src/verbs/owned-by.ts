/** The condition that a row belongs to one of some owners. */

import type { ProcessIdentity } from "@reprise/core/session/turn";

/** Parameters for a condition on the owner. */
export function namedOwners(owners: readonly ProcessIdentity[]): Record<string, string> {
  return Object.fromEntries(owners.map((owner, index) => [`owner${index}`, JSON.stringify(owner)]));
}

/** True for rows without an owner, and those of the named ones. */
export function isOwnedBy(named: Readonly<Record<string, string>>): string {
  const names = Object.keys(named).map((name) => `:${name}`);
  return names.length === 0 ? "owner IS NULL" : `(owner IS NULL OR owner IN (${names.join(", ")}))`;
}
