/** Records what was typed or taken back in the provider's own program, with the pin that covers it. */

import { type WithPacked, writeCheckpoint } from "../checkpoints/checkpoint.ts";
import type { Db } from "../db.ts";
import { appendEvent } from "../events/event.ts";
import { writePin } from "../sessions/pin.ts";
import { takeBack, writeMessages } from "../sessions/transcript.ts";
import type { Verb } from "../verb.ts";
import { requireClaim } from "./require-claim.ts";

export const importMessages = (
  db: Db,
  record: WithPacked<Parameters<Verb<"importMessages">>[1]>,
): void => {
  const { turn, token, messages, takenBack = [], pin, checkpoint, at } = record;
  const claimed = requireClaim(db, { turn, token });
  takeBack(db, claimed, takenBack);
  writeMessages(db, claimed.conversation, messages);
  const counts = { messages: messages.length, takenBack: takenBack.length };
  appendEvent(db, claimed.stream, { type: "messages.imported", data: { turn, ...counts } }, at);
  writePin(db, claimed, pin, at);
  if (checkpoint) writeCheckpoint(db, claimed, checkpoint, at);
};
