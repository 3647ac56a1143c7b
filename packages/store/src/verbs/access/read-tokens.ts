/** Reads one token by its digest, or all of them, oldest first. */

import type { Token } from "../../contract/access.ts";
import type { Verb } from "../verb.ts";

interface TokenRow extends Pick<Token, "hash" | "name" | "role"> {
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export const tokenColumns = "hash, name, role, created_at, last_used_at, revoked_at";

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

export function tokenFrom({ created_at, last_used_at, revoked_at, ...row }: TokenRow): Token {
  return { ...row, createdAt: created_at, lastUsedAt: last_used_at, revokedAt: revoked_at };
}
