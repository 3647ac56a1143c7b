/** Reads turns: one, those of a key, or all that are open. */

import { isOpen } from "./line.ts";
import { selectTurn, selectTurns } from "./turn-row.ts";
import type { Verb } from "./verb.ts";

export const readTurn: Verb<"readTurn"> = (db, id) => selectTurn(db, id);

export const findTurns: Verb<"findTurns"> = (db, prefix, limit) =>
  db
    .all<{ id: string }>(
      "SELECT id FROM turn WHERE id >= :prefix AND id < :end ORDER BY id LIMIT :limit",
      { prefix, end: `${prefix}\u{10ffff}`, limit },
    )
    .map(({ id }) => id);

export const listTurns: Verb<"listTurns"> = (
  db,
  { key, before = Number.MAX_SAFE_INTEGER, limit },
) =>
  selectTurns(db, "WHERE key = :key AND seq < :before ORDER BY seq DESC LIMIT :limit", {
    key,
    before,
    limit,
  });

export const listOpenTurns: Verb<"listOpenTurns"> = (db) =>
  selectTurns(db, `WHERE ${isOpen} ORDER BY opened_at, key, seq`, {});
