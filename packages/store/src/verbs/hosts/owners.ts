/** The processes that own turns and runs. */

import type { ProcessIdentity } from "@reprise/core/session/turn";
import { fromJson } from "../json.ts";
import { isActive } from "../runs/run-row.ts";
import { isOpen } from "../turns/turn-row.ts";
import type { Verb } from "../verb.ts";

export const listOwners: Verb<"listOwners"> = function* (db) {
  const rows = yield* db.all<{ owner: string }>(
    `SELECT owner FROM turn WHERE ${isOpen} AND owner IS NOT NULL
     UNION SELECT owner FROM run WHERE ${isActive} AND owner IS NOT NULL`,
  );
  return rows.map(({ owner }) => fromJson<ProcessIdentity>(owner));
};
