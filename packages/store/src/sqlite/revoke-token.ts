/** Ends a token: whoever has it is not let in any more. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { appendEvent } from "./event.ts";
import { tokenColumns, tokenFrom } from "./read-tokens.ts";
import type { Verb } from "./verb.ts";

export const revokeToken: Verb<"revokeToken"> = (db, { name, at }) => {
  const row = db.get<Parameters<typeof tokenFrom>[0]>(
    `UPDATE token SET revoked_at = :at WHERE name = :name AND revoked_at IS NULL
     RETURNING ${tokenColumns}`,
    { name, at },
  );
  if (row === undefined)
    throw new NotFoundError(
      "no-token",
      `There is no token named ${name}, or it was revoked before.`,
      "reprise token list shows them.",
    );
  appendEvent(db, `token:${name}`, { type: "token.revoked", data: {} }, at);
  return tokenFrom(row);
};
