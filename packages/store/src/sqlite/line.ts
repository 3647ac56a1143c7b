/** Who has a session, and who stands in line for it. */

import type { Turn } from "@reprise/core/session/turn";
import type { Db } from "./db.ts";
import { selectTurn, selectTurns } from "./turn-row.ts";

/** Written as the partial index `turn_open` has it, so that SQLite uses that index. */
export const isOpen = "status IN ('queued', 'running', 'waiting')";

/** The open turn of the key with the lowest number. */
export function firstInLine(db: Db, key: string): Turn | null {
  return selectTurns(db, `WHERE key = :key AND ${isOpen} ORDER BY seq LIMIT 1`, { key })[0] ?? null;
}

/** The names that a turn of (key, agent) must hold: its key, and the handle that two keys may share. */
export function leaseNames(db: Db, key: string, agent: string): string[] {
  const pin = db.get<{ provider: string; handle: string }>(
    "SELECT provider, handle FROM pin WHERE key = :key AND agent = :agent",
    { key, agent },
  );
  return pin ? [`key:${key}`, `handle:${pin.provider}:${pin.handle}`] : [`key:${key}`];
}

/** The turn that holds one of these leases. */
export function leaseHolder(db: Db, names: readonly string[]): Turn | null {
  for (const name of names) {
    const lease = db.get<{ turn: string }>("SELECT turn FROM lease WHERE name = :name", { name });
    if (lease) return selectTurn(db, lease.turn);
  }
  return null;
}

export function takeLeases(db: Db, names: readonly string[], turn: string): void {
  for (const name of names)
    db.run("INSERT INTO lease (name, turn) VALUES (:name, :turn)", { name, turn });
}

export function releaseLeases(db: Db, turn: string): void {
  db.run("DELETE FROM lease WHERE turn = :turn", { turn });
}
