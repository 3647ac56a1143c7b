/** Removes one hold of a session; other holds stay. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { appendEvent } from "../events/event.ts";
import { lockSession } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { requireSession } from "./require-session.ts";

export const releaseSession: Verb<"releaseSession"> = function* (db, { key, by, at }) {
  yield* lockSession(db, key);
  const { held } = yield* requireSession(db, key);
  if ((yield* db.change("DELETE FROM hold WHERE key = :key AND holder = :by", { key, by })) === 0)
    throw new NotFoundError(
      "no-hold",
      `Session ${key} is not held by ${by}.`,
      held.length === 0
        ? "It is not held at all."
        : `Name the holder with ${option("by")}: ${held.map((hold) => hold.by).join(", ")}.`,
    );
  yield* appendEvent(db, `session:${key}`, { type: "session.released", data: { by } }, at);
  return yield* requireSession(db, key);
};
