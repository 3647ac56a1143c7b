/** Revokes a token. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { tokenColumns, tokenFrom } from "./read-tokens.ts";

export const revokeToken: Verb<"revokeToken"> = function* (db, { name, at }) {
  const row = yield* db.get<Parameters<typeof tokenFrom>[0]>(
    `UPDATE token SET revoked_at = :at WHERE name = :name AND revoked_at IS NULL
     RETURNING ${tokenColumns}`,
    { name, at },
  );
  if (row === undefined)
    throw new NotFoundError(
      "no-token",
      `There is no token named ${name}, or it was already revoked.`,
      `List the tokens with ${command("token list")}.`,
    );
  yield* appendEvent(db, `token:${name}`, { type: "token.revoked", data: {} }, at);
  return tokenFrom(row);
};
