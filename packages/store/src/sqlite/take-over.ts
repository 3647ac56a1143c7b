/** Makes another process the owner of an open turn, and fences the one before. */

import { appendEvent } from "./event.ts";
import { toJson } from "./json.ts";
import { isOpen } from "./line.ts";
import type { Verb } from "./verb.ts";

export const takeOver: Verb<"takeOver"> = (db, { turn, token, owner, at }) => {
  const taken = db.get<{ key: string; token: number }>(
    `UPDATE turn SET owner = :owner, token = token + 1
     WHERE id = :turn AND token = :token AND ${isOpen}
     RETURNING key, token`,
    { turn, token, owner: toJson(owner) },
  );
  if (taken === undefined) return null;
  appendEvent(
    db,
    `session:${taken.key}`,
    { type: "turn.taken-over", data: { turn, token: taken.token } },
    at,
  );
  return taken.token;
};
