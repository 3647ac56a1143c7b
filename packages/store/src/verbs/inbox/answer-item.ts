/** Accepts the one answer to an inbox item, unless its deadline has passed. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { lockItem } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { selectItem } from "./inbox-row.ts";
import { isOverdue, resolveItem } from "./resolve-item.ts";

export const answerItem: Verb<"answerItem"> = function* (db, { item: id, at, ...answer }) {
  yield* lockItem(db, id);
  const item = yield* selectItem(db, id);
  if (item === null)
    throw new NotFoundError(
      "no-item",
      `There is no inbox item ${id}.`,
      `List what waits for an answer with ${verb("inbox.list")}.`,
    );
  if (item.resolution !== null) return { item, given: false };
  const now = yield* db.now();
  if (isOverdue(item, now))
    return { item: yield* resolveItem(db, item, { how: "expired", at: now }), given: false };
  return { item: yield* resolveItem(db, item, { how: "answered", ...answer, at }), given: true };
};
