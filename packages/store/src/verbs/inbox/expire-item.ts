/** Resolves an inbox item whose deadline has passed. */

import { lockItem } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { selectItem } from "./inbox-row.ts";
import { isOverdue, resolveItem } from "./resolve-item.ts";

export const expireItem: Verb<"expireItem"> = function* (db, { item: id }) {
  yield* lockItem(db, id);
  const item = yield* selectItem(db, id);
  const at = yield* db.now();
  if (item === null || item.resolution !== null || !isOverdue(item, at)) return false;
  yield* resolveItem(db, item, { how: "expired", at });
  return true;
};
