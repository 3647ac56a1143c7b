/**
 * What a transaction locks before it reads what it will change. A transaction locks runs before sessions, so that
 * two of them do not wait for each other.
 */

import type { Db, Query } from "./db.ts";

export function lockSession(db: Db, key: string): Query<void> {
  return db.lock("SELECT 'session:' || CAST(:key AS TEXT)", { key });
}

/** Locks the session of a turn. */
export function lockTurn(db: Db, turn: string): Query<void> {
  return db.lock("SELECT 'session:' || key FROM turn WHERE id = :turn", { turn });
}

/** Locks the session of a turn, and the run whose node sent it. */
export function lockTurnAndRun(db: Db, turn: string): Query<void> {
  return db.lock(
    `SELECT 'session:' || key FROM turn WHERE id = :turn
     UNION ALL
     SELECT 'run:' || (request -> 'origin' ->> 'run') FROM turn
     WHERE id = :turn AND request -> 'origin' ->> 'run' IS NOT NULL`,
    { turn },
  );
}

export function lockRun(db: Db, run: string): Query<void> {
  return db.lock("SELECT 'run:' || CAST(:run AS TEXT)", { run });
}

/** Locks the run of an inbox item. */
export function lockItem(db: Db, item: string): Query<void> {
  return db.lock("SELECT 'run:' || run FROM inbox_item WHERE id = :item", { item });
}

/** Locks anything else by a name of its own, such as `agent:coder`. */
export function lockName(db: Db, name: string): Query<void> {
  return db.lock("SELECT CAST(:name AS TEXT)", { name });
}
