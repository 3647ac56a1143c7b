/**
 * The holds of inbox items keep their sessions unchanged until the item is answered and the run uses them.
 * They are released when the run has ended.
 */

import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";

interface ItemHold {
  readonly item: string;
  readonly sessions: readonly string[];
  readonly at: number;
}

/** A session that does not exist yet needs no hold. */
export function* holdForItem(
  db: Db,
  { item, run, sessions, at }: ItemHold & { run: string },
): Query<void> {
  const by = `gate:${item}`;
  const reason = `run ${run} waits for an answer`;
  for (const key of sessions) {
    const held = yield* db.change(
      `INSERT INTO hold (key, holder, reason, at)
       SELECT key, :by, :reason, :at FROM session WHERE key = :key
       ON CONFLICT (key, holder) DO NOTHING`,
      { key, by, reason, at },
    );
    if (held > 0)
      yield* appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  }
}

/** The item was answered: from now on the run holds its sessions. */
export function* handToRun(
  db: Db,
  { item, run, sessions, at }: ItemHold & { run: string },
): Query<void> {
  const by = `run:${run}`;
  const reason = `run ${run} continues`;
  for (const key of sessions) {
    if (!(yield* release(db, key, `gate:${item}`, at))) continue;
    const held = yield* db.change(
      `INSERT INTO hold (key, holder, reason, at) VALUES (:key, :by, :reason, :at)
       ON CONFLICT (key, holder) DO NOTHING`,
      { key, by, reason, at },
    );
    if (held > 0)
      yield* appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  }
}

/** Releases the holds of a run that has ended. */
export function* releaseAll(
  db: Db,
  { item, run, sessions, at }: ItemHold & { run: string },
): Query<void> {
  for (const key of sessions)
    for (const by of [`gate:${item}`, `run:${run}`]) yield* release(db, key, by, at);
}

/** False if it was not held. */
function* release(db: Db, key: string, by: string, at: number): Query<boolean> {
  if ((yield* db.change("DELETE FROM hold WHERE key = :key AND holder = :by", { key, by })) === 0)
    return false;
  yield* appendEvent(db, `session:${key}`, { type: "session.released", data: { by } }, at);
  return true;
}
