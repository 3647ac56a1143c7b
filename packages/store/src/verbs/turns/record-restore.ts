/** Records that the provider's files were restored from a checkpoint, with the pin of that time. */

import { appendEvent } from "../events/event.ts";
import { writePin } from "../sessions/pin.ts";
import type { Verb } from "../verb.ts";
import { requireClaim } from "./require-claim.ts";

export const recordRestore: Verb<"recordRestore"> = function* (db, { turn, token, pin, at }) {
  const claimed = yield* requireClaim(db, { turn, token });
  yield* appendEvent(
    db,
    claimed.stream,
    { type: "session.restored", data: { turn, agent: claimed.agent, handle: pin.handle.id } },
    at,
  );
  yield* writePin(db, claimed, pin, at);
};
