/** Records what was typed or taken back in the provider's own program, with the pin that covers it. */

import { type WithPacked, writeCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db, Query } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { writePin } from "../sessions/pin.ts";
import { takeBack, writeMessages } from "../sessions/transcript.ts";
import type { Verb } from "../verb.ts";
import { requireClaim } from "./require-claim.ts";

export const importMessages = function* (
  db: Db,
  record: WithPacked<Parameters<Verb<"importMessages">>[1]>,
): Query<void> {
  const { turn, token, messages, takenBack = [], pin, checkpoint, at } = record;
  const claimed = yield* requireClaim(db, { turn, token });
  yield* takeBack(db, claimed, takenBack);
  yield* writeMessages(db, claimed.conversation, messages);
  const counts = { messages: messages.length, takenBack: takenBack.length };
  yield* appendEvent(
    db,
    claimed.stream,
    { type: "messages.imported", data: { turn, ...counts } },
    at,
  );
  yield* writePin(db, claimed, pin, at);
  if (checkpoint) yield* writeCheckpoint(db, claimed, checkpoint, at);
};
