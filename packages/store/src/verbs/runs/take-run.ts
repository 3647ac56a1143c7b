/** Changes or removes the owner of a run, and fences the previous one. */

import { toJson } from "../json.ts";
import { lockRun } from "../locks.ts";
import type { Verb } from "../verb.ts";

export const takeRun: Verb<"takeRun"> = function* (db, { run, token, owner }) {
  yield* lockRun(db, run);
  const taken = yield* db.get<{ token: number }>(
    `UPDATE run SET owner = :owner, token = token + 1
     WHERE id = :run AND token = :token AND ended_at IS NULL
     RETURNING token`,
    { run, token, owner: toJson(owner) },
  );
  return taken?.token ?? null;
};
