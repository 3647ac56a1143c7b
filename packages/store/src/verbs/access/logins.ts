/** Logins of browsers: each represents a token until it expires or the browser logs out. */

import type { Login } from "../../contract/access.ts";
import { appendEvent } from "../events/events.ts";
import type { Verb } from "../verb.ts";

interface LoginRow extends Pick<Login, "hash" | "token"> {
  created_at: number;
  expires_at: number;
}

export const createLogin: Verb<"createLogin"> = function* (
  db,
  { hash, token, createdAt, expiresAt },
) {
  yield* db.run("DELETE FROM login WHERE expires_at <= :now", { now: yield* db.now() });
  yield* db.run(
    `INSERT INTO login (hash, token, created_at, expires_at)
     VALUES (:hash, :token, :createdAt, :expiresAt) ON CONFLICT DO NOTHING`,
    { hash, token, createdAt, expiresAt },
  );
};

export const readLogin: Verb<"readLogin"> = function* (db, hash) {
  const row = yield* db.get<LoginRow>(
    "SELECT hash, token, created_at, expires_at FROM login WHERE hash = :hash",
    { hash },
  );
  if (row === undefined) return null;
  const { created_at: createdAt, expires_at: expiresAt, ...login } = row;
  return { ...login, createdAt, expiresAt };
};

export const endLogins: Verb<"endLogins"> = function* (db) {
  yield* db.run("DELETE FROM login");
};

/** The event closes the connections that the browser still has open. */
export const endLogin: Verb<"endLogin"> = function* (db, { hash, at }) {
  const ended = yield* db.change("DELETE FROM login WHERE hash = :hash", { hash });
  if (ended > 0)
    yield* appendEvent(db, `login:${hash.slice(0, 12)}`, { type: "login.ended", data: {} }, at);
};
