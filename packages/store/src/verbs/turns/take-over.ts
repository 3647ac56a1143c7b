/** Changes the owner of an open turn, and fences the previous one. */

import { toJson } from "../json.ts";
import { lockTurn } from "../locks.ts";
import type { Verb } from "../verb.ts";
import { isOpen } from "./turn-row.ts";

export const takeOver: Verb<"takeOver"> = function* (db, { turn, token, owner }) {
  yield* lockTurn(db, turn);
  const taken = yield* db.get<{ token: number }>(
    `UPDATE turn SET owner = :owner, token = token + 1
     WHERE id = :turn AND token = :token AND ${isOpen}
     RETURNING token`,
    { turn, token, owner: toJson(owner) },
  );
  return taken?.token ?? null;
};
