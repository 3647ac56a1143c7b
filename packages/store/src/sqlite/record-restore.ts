/** Records that the provider's files were put back from a checkpoint: the pin is what it was then. */

import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import { writePin } from "./pin.ts";
import type { Verb } from "./verb.ts";

export const recordRestore: Verb<"recordRestore"> = (db, { turn, token, pin, at }) => {
  const held = requireHeld(db, { turn, token });
  appendEvent(
    db,
    held.stream,
    { type: "session.restored", data: { turn, agent: held.agent, handle: pin.handle.id } },
    at,
  );
  writePin(db, held, pin, at);
};
