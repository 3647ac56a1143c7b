/** Records what a turn waits for, so that every reader of the log can show it. */

import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { requireClaim } from "./require-claim.ts";

export const recordWaiting: Verb<"recordWaiting"> = function* (db, { turn, token, waiting, at }) {
  const { stream } = yield* requireClaim(db, { turn, token }, ["queued", "running"]);
  const { type, ...rest } = waiting;
  yield* appendEvent(db, stream, { type: `turn.${type}`, data: { turn, ...rest } }, at);
};
