/** The holds of an open inbox item: its sessions are as they were when somebody answers. */

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

export function releaseFromItem(db: Db, { item, sessions, at }: ItemHold): void {
  const by = `gate:${item}`;
  for (const key of sessions)
    if (db.run("DELETE FROM hold WHERE key = :key AND holder = :by", { key, by }) > 0)
      appendEvent(db, `session:${key}`, { type: "session.released", data: { by } }, at);
}
