/** Ends an attempt that another one follows, with what it left of the provider session. */

import { writeEnding } from "./attempt.ts";
import { type WithPacked, writeCheckpoint } from "./checkpoint.ts";
import type { Db } from "./db.ts";
import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import { retireHandle, writePin } from "./pin.ts";
import type { Verb } from "./verb.ts";

export const endAttempt = (
  db: Db,
  end: WithPacked<Parameters<Verb<"endAttempt">>[1]>,
): ReturnType<Verb<"endAttempt">> => {
  const { turn, attempt, retire, pin, checkpoint, compacted, at } = end;
  const held = requireHeld(db, end);
  // Delivered late, it must not take back what the next attempt has written.
  if (!writeEnding(db, held, attempt, at)) return;
  if (pin) writePin(db, held, pin, at);
  if (retire) retireHandle(db, held, retire, at);
  if (checkpoint) writeCheckpoint(db, held, checkpoint, at);
  if (!compacted) return;
  db.run("UPDATE session SET compaction = NULL WHERE key = :key", { key: held.key });
  appendEvent(
    db,
    held.stream,
    { type: "session.compacted", data: { turn, agent: held.agent, handle: attempt.handle } },
    at,
  );
};
