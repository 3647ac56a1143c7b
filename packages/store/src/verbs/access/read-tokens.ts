/** Reads one token by its digest, or all of them, oldest first. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Token } from "../../contract/access.ts";
import type { Verb } from "../verb.ts";

export interface TokenRow extends Pick<Token, "hash" | "name" | "role"> {
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

export const tokenColumns = "hash, name, role, created_at, last_used_at, expires_at, revoked_at";

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

export function tokenFrom(row: TokenRow): Token {
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
export function noToken(name: string): NotFoundError {
  return new NotFoundError(
    "no-token",
    `There is no token named ${name}, or it was already revoked.`,
    `List the tokens with ${verb("tokens.list")}.`,
  );
}
