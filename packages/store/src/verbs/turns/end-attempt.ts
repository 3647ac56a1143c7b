/** Ends an attempt that is followed by another, with the state in which it left the provider session. */

import { type WithPacked, writeCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { retireHandle, writePin } from "../sessions/pin.ts";
import type { Verb } from "../verb.ts";
import { writeEnding } from "./attempt.ts";
import { requireClaim } from "./require-claim.ts";

export const endAttempt = function* (
  db: Db,
  end: WithPacked<Parameters<Verb<"endAttempt">>[1]>,
): ReturnType<Verb<"endAttempt">> {
  const { turn, attempt, retire, pin, checkpoint, compacted, at } = end;
  const claimed = yield* requireClaim(db, end);
  // A repeated call must not undo what the next attempt has written.
  if (!(yield* writeEnding(db, claimed, attempt, at))) return;
  if (pin) yield* writePin(db, claimed, pin, at);
  if (retire) yield* retireHandle(db, claimed, retire, at);
  if (checkpoint) yield* writeCheckpoint(db, claimed, checkpoint, at);
  if (!compacted) return;
  yield* db.run("UPDATE session SET compaction = NULL WHERE key = :key", { key: claimed.key });
  yield* appendEvent(
    db,
    claimed.stream,
    { type: "session.compacted", data: { turn, agent: claimed.agent, handle: attempt.handle } },
    at,
  );
};
