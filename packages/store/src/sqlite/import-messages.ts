/** Records what was typed in the provider's own program, with the pin that now covers it. */

import { type WithPacked, writeCheckpoint } from "./checkpoint.ts";
import type { Db } from "./db.ts";
import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import { writePin } from "./pin.ts";
import { writeMessages } from "./transcript.ts";
import type { Verb } from "./verb.ts";

export const importMessages = (
  db: Db,
  { turn, token, messages, pin, checkpoint, at }: WithPacked<Parameters<Verb<"importMessages">>[1]>,
): void => {
  const held = requireHeld(db, { turn, token });
  writeMessages(db, held.conversation, messages);
  appendEvent(
    db,
    held.stream,
    { type: "messages.imported", data: { turn, messages: messages.length } },
    at,
  );
  writePin(db, held, pin, at);
  if (checkpoint) writeCheckpoint(db, held, checkpoint, at);
};
