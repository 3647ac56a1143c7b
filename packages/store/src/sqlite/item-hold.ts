/**
 * The holds of inbox items: the sessions are as they were when somebody answers, and when the run comes
 * to use them, however long after. They are released when the run has ended.
 */

import type { Db } from "./db.ts";
import { appendEvent } from "./event.ts";

interface ItemHold {
  readonly item: string;
  readonly sessions: readonly string[];
  readonly at: number;
}

/** A session that does not exist yet has nothing that could be lost. */
export function holdForItem(db: Db, { item, run, sessions, at }: ItemHold & { run: string }): void {
  const by = `gate:${item}`;
  const reason = `run ${run} waits for an answer`;
  for (const key of sessions) {
    const held = db.run(
      `INSERT INTO hold (key, holder, reason, at)
       SELECT key, :by, :reason, :at FROM session WHERE key = :key
       ON CONFLICT (key, holder) DO NOTHING`,
      { key, by, reason, at },
    );
    if (held > 0)
      appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  }
}

/** Somebody answered: from now on the run itself holds what the item held. */
export function handToRun(db: Db, { item, run, sessions, at }: ItemHold & { run: string }): void {
  const by = `run:${run}`;
  const reason = `run ${run} goes on`;
  for (const key of sessions) {
    if (!release(db, key, `gate:${item}`, at)) continue;
    const held = db.run(
      `INSERT INTO hold (key, holder, reason, at) VALUES (:key, :by, :reason, :at)
       ON CONFLICT (key, holder) DO NOTHING`,
      { key, by, reason, at },
    );
    if (held > 0)
      appendEvent(db, `session:${key}`, { type: "session.held", data: { by, reason } }, at);
  }
}

/** The run has ended. */
export function releaseAll(db: Db, { item, run, sessions, at }: ItemHold & { run: string }): void {
  for (const key of sessions)
    for (const by of [`gate:${item}`, `run:${run}`]) release(db, key, by, at);
}

/** False when it was not held. */
function release(db: Db, key: string, by: string, at: number): boolean {
  if (db.run("DELETE FROM hold WHERE key = :key AND holder = :by", { key, by }) === 0) return false;
  appendEvent(db, `session:${key}`, { type: "session.released", data: { by } }, at);
  return true;
}
