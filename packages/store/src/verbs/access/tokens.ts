/** The verbs of tokens. */

import { NotFoundError, TerminalError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Token } from "../../contract/access.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import type { Verb } from "../verb.ts";

/** Writes a new token and its event. */
export const createToken: Verb<"createToken"> = function* (
  db,
  { hash, name, role, createdAt, expiresAt, by },
) {
  // The name of an expired token is free.
  yield* db.run(
    `UPDATE token SET revoked_at = expires_at
     WHERE name = :name AND revoked_at IS NULL AND expires_at <= :now`,
    { name, now: yield* db.now() },
  );
  const inserted = yield* db.change(
    `INSERT INTO token (hash, name, role, created_at, expires_at)
     VALUES (:hash, :name, :role, :createdAt, :expiresAt)
     ON CONFLICT DO NOTHING`,
    { hash, name, role, createdAt, expiresAt },
  );
  if (inserted === 0)
    throw new TerminalError(
      "token-exists",
      `A token named ${name} already exists.`,
      "Choose another name, or rotate or revoke that one.",
    );
  const data = { role, expiresAt, ...doneBy({ by }) };
  yield* appendEvent(db, `token:${name}`, { type: "token.created", data }, createdAt);
};

// Reads one token by its digest, or all of them, oldest first.

interface TokenRow extends Pick<Token, "hash" | "name" | "role"> {
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

const tokenColumns = "hash, name, role, created_at, last_used_at, expires_at, revoked_at";

export const readToken: Verb<"readToken"> = function* (db, hash) {
  const row = yield* db.get<TokenRow>(`SELECT ${tokenColumns} FROM token WHERE hash = :hash`, {
    hash,
  });
  return row ? tokenFrom(row) : null;
};

export const listTokens: Verb<"listTokens"> = function* (db) {
  return (yield* db.all<TokenRow>(
    `SELECT ${tokenColumns} FROM token ORDER BY created_at, name`,
  )).map(tokenFrom);
};

function tokenFrom(row: TokenRow): Token {
  const { hash, name, role } = row;
  return {
    ...{ hash, name, role },
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

/** For a name without a token. */
function noToken(name: string): NotFoundError {
  return new NotFoundError(
    "no-token",
    `There is no token named ${name}, or it was already revoked.`,
    `List the tokens with ${verb("tokens.list")}.`,
  );
}

/** Revokes a token. */
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

/** Replaces a token by a new one with the same name and role. */
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

/** Records when a token was last used. */
export const useToken: Verb<"useToken"> = function* (db, { hash, at }) {
  yield* db.run("UPDATE token SET last_used_at = :at WHERE hash = :hash", { hash, at });
};
