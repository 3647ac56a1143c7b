/** The processes that own turns and runs. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import { fromJson } from "../json.ts";
import { isActive } from "../runs/run-row.ts";
import { isOpen } from "../turns/queue.ts";
import type { Verb } from "../verb.ts";

export const listOwners: Verb<"listOwners"> = function* (db) {
  const rows = yield* db.all<{ owner: string }>(
    `SELECT owner FROM turn WHERE ${isOpen} AND owner IS NOT NULL
     UNION SELECT owner FROM run WHERE ${isActive} AND owner IS NOT NULL`,
  );
  return rows.map(({ owner }) => fromJson<ProcessIdentity>(owner));
};

/** Parameters for a condition on the owner. */
export function namedOwners(owners: readonly ProcessIdentity[]): Record<string, string> {
  return Object.fromEntries(owners.map((owner, index) => [`owner${index}`, JSON.stringify(owner)]));
}

/** True for rows without an owner, and those of the named ones. */
export function isOwnedBy(named: Readonly<Record<string, string>>): string {
  const names = Object.keys(named).map((name) => `:${name}`);
  return names.length === 0 ? "owner IS NULL" : `(owner IS NULL OR owner IN (${names.join(", ")}))`;
}
