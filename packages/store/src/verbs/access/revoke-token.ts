/** Revokes a token. */

import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { noToken, type TokenRow, tokenColumns, tokenFrom } from "./read-tokens.ts";

export const revokeToken: Verb<"revokeToken"> = function* (db, { name, at, by }) {
  const row = yield* db.get<TokenRow>(
    `UPDATE token SET revoked_at = :at WHERE name = :name AND revoked_at IS NULL
     RETURNING ${tokenColumns}`,
    { name, at },
  );
  if (row === undefined) throw noToken(name);
  // Earlier ones that were rotated and are still valid.
  yield* db.run("UPDATE token SET revoked_at = :at WHERE name = :name AND revoked_at > :at", {
    name,
    at,
  });
  yield* appendEvent(db, `token:${name}`, { type: "token.revoked", data: doneBy({ by }) }, at);
  return tokenFrom(row);
};
