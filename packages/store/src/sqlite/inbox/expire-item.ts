/** Resolves an inbox item whose deadline has passed. */

import type { Verb } from "../verb.ts";
import { selectItem } from "./inbox-row.ts";
import { isOverdue, resolveItem } from "./resolve-item.ts";

export const expireItem: Verb<"expireItem"> = (db, { item: id, at }) => {
  const item = selectItem(db, id);
  if (item === null || item.resolution !== null || !isOverdue(item, at)) return false;
  resolveItem(db, item, { how: "expired", at });
  return true;
};
