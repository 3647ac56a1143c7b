/** Reads what retention needs to know of a page of sessions, in the order of their keys. */

import type { RetentionRow } from "../../contract/sessions.ts";
import { fromJson } from "../json.ts";
import { isOpen } from "../turns/turn-row.ts";
import type { Verb } from "../verb.ts";

interface SessionRow {
  key: string;
  updated_at: number;
  archived_at: number | null;
  settings: string;
  in_use: number;
}

export const listRetention: Verb<"listRetention"> = function* (db, { after = "", limit }) {
  const rows = yield* db.all<SessionRow>(
    `SELECT key, updated_at, archived_at, settings,
       EXISTS (SELECT 1 FROM turn WHERE turn.key = session.key AND ${isOpen}) AS in_use
     FROM session WHERE key > :after ORDER BY key LIMIT :limit`,
    { after, limit },
  );
  const holds = yield* db.all<{ key: string; holder: string }>(
    "SELECT key, holder FROM hold WHERE key > :after AND key <= :last ORDER BY key, at, holder",
    { after, last: rows.at(-1)?.key ?? after },
  );
  const holders = Map.groupBy(holds, ({ key }) => key);
  return rows.map(
    (row): RetentionRow => ({
      key: row.key,
      usedAt: row.updated_at,
      archivedAt: row.archived_at,
      heldBy: holders.get(row.key)?.map(({ holder }) => holder) ?? [],
      inUse: row.in_use > 0,
      settings: fromJson(row.settings),
    }),
  );
};
