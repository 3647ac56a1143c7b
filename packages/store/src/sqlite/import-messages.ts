/** Records what was typed in the provider's own program, with the pin that now covers it. */

import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import { writePin } from "./pin.ts";
import { writeMessages } from "./transcript.ts";
import type { Verb } from "./verb.ts";

export const importMessages: Verb<"importMessages"> = (db, { turn, token, messages, pin, at }) => {
  const held = requireHeld(db, { turn, token });
  writeMessages(db, held.conversation, messages);
  appendEvent(
    db,
    held.stream,
    { type: "messages.imported", data: { turn, messages: messages.length } },
    at,
  );
  writePin(db, held, pin, at);
};
