/** Replaces a token by a new one with the same name and role. */

import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";
import { noToken, type TokenRow, tokenColumns } from "./read-tokens.ts";

export const rotateToken: Verb<"rotateToken"> = function* (db, rotate) {
  const { name, hash, at, until, lasts } = rotate;
  const old = yield* db.get<TokenRow>(
    `UPDATE token SET revoked_at = :until WHERE name = :name AND revoked_at IS NULL
     RETURNING ${tokenColumns}`,
    { name, until },
  );
  if (old === undefined) throw noToken(name);
  // A token that was rotated earlier stays valid for no longer than this one.
  yield* db.run("UPDATE token SET revoked_at = :until WHERE name = :name AND revoked_at > :until", {
    name,
    until,
  });
  yield* db.run(
    `UPDATE login SET expires_at = :until WHERE expires_at > :until
     AND token IN (SELECT hash FROM token WHERE name = :name)`,
    { name, until },
  );
  const lifetime = lasts ?? (old.expires_at === null ? null : old.expires_at - old.created_at);
  const expiresAt = lifetime === null ? null : at + lifetime;
  yield* db.run(
    `INSERT INTO token (hash, name, role, created_at, expires_at)
     VALUES (:hash, :name, :role, :at, :expiresAt)`,
    { hash, name, role: old.role, at, expiresAt },
  );
  const data = { role: old.role, expiresAt, until, ...doneBy(rotate) };
  yield* appendEvent(db, `token:${name}`, { type: "token.rotated", data }, at);
  return {
    hash,
    name,
    role: old.role,
    createdAt: at,
    lastUsedAt: null,
    expiresAt,
    revokedAt: null,
  };
};
