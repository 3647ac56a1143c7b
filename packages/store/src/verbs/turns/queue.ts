/** The queue and the leases of a session. */

import type { Pin } from "@reprise/core/session/pin";
import type { Turn } from "@reprise/core/session/turn";
import type { Db, Query } from "../db.ts";
import { fromJson } from "../json.ts";
import { lockName } from "../locks.ts";
import { isOpen, selectTurn, selectTurns } from "./turn-row.ts";

interface PinRow {
  readonly provider: string;
  readonly handle: string;
  readonly data: string;
}

/** The key's open turn with the lowest number. */
export function* firstInQueue(db: Db, key: string): Query<Turn | null> {
  return (
    (yield* selectTurns(db, `WHERE key = :key AND ${isOpen} ORDER BY seq LIMIT 1`, { key }))[0] ??
    null
  );
}

/** A queued turn that any process may run now: of this key, else the oldest of any key. */
export function* nextInQueue(db: Db, key: string): Query<Turn | null> {
  const ahead = "ahead.key = turn.key AND ahead.seq < turn.seq";
  const [next] = yield* selectTurns(
    db,
    `WHERE ${isOpen} AND status = 'queued' AND (acknowledged = 1 OR owner IS NULL)
       AND NOT EXISTS (SELECT 1 FROM turn AS ahead WHERE ${ahead} AND ahead.${isOpen})
     ORDER BY key <> :key, opened_at, key, seq LIMIT 1`,
    { key },
  );
  return next ?? null;
}

/**
 * The leases that a turn of (key, agent) needs: its key, its handle (which two keys may share), and the
 * handle that a provider's program will fork, which must not change meanwhile. Locks them until the transaction ends.
 */
export function* leaseNames(db: Db, key: string, agent: string): Query<string[]> {
  const stored = yield* db.get<PinRow>(
    "SELECT provider, handle, data FROM pin WHERE key = :key AND agent = :agent",
    { key, agent },
  );
  const names = stored === undefined ? [`key:${key}`] : [`key:${key}`, ...handleNames(stored)];
  for (const name of names.toSorted()) yield* lockName(db, name);
  return names;
}

function handleNames(stored: PinRow): string[] {
  const { fork } = fromJson<Pin>(stored.data);
  const forked = fork?.by === "command" && fork.source ? [fork.source.id] : [];
  return [stored.handle, ...forked].map((handle) => `handle:${stored.provider}:${handle}`);
}

/** The turn that holds one of these leases. */
export function* leaseHolder(db: Db, names: readonly string[]): Query<Turn | null> {
  const listed = names.map((_, index) => `:name${index}`).join(", ");
  const lease = yield* db.get<{ turn: string }>(
    `SELECT turn FROM lease WHERE name IN (${listed}) LIMIT 1`,
    Object.fromEntries(names.map((name, index) => [`name${index}`, name])),
  );
  return lease ? yield* selectTurn(db, lease.turn) : null;
}

export function* takeLeases(db: Db, names: readonly string[], turn: string): Query<void> {
  for (const name of names)
    yield* db.run("INSERT INTO lease (name, turn) VALUES (:name, :turn)", { name, turn });
}

export function* releaseLeases(db: Db, turn: string): Query<void> {
  yield* db.run("DELETE FROM lease WHERE turn = :turn", { turn });
}
