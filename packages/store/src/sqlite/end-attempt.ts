/** Ends an attempt that another one follows. */

import { writeEnding } from "./attempt.ts";
import { requireHeld } from "./held.ts";
import { retireHandle } from "./pin.ts";
import type { Verb } from "./verb.ts";

export const endAttempt: Verb<"endAttempt"> = (db, { turn, token, attempt, retire, at }) => {
  const held = requireHeld(db, { turn, token });
  writeEnding(db, held, attempt, at);
  if (retire) retireHandle(db, held, retire, at);
};
