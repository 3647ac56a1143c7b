/** Records what was typed and taken back in the provider's own program, with the pin that now covers it. */

import { type WithPacked, writeCheckpoint } from "./checkpoint.ts";
import type { Db } from "./db.ts";
import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import { writePin } from "./pin.ts";
import { takeBack, writeMessages } from "./transcript.ts";
import type { Verb } from "./verb.ts";

export const importMessages = (
  db: Db,
  record: WithPacked<Parameters<Verb<"importMessages">>[1]>,
): void => {
  const { turn, token, messages, takenBack = [], pin, checkpoint, at } = record;
  const held = requireHeld(db, { turn, token });
  takeBack(db, held, takenBack);
  writeMessages(db, held.conversation, messages);
  const counts = { messages: messages.length, takenBack: takenBack.length };
  appendEvent(db, held.stream, { type: "messages.imported", data: { turn, ...counts } }, at);
  writePin(db, held, pin, at);
  if (checkpoint) writeCheckpoint(db, held, checkpoint, at);
};
