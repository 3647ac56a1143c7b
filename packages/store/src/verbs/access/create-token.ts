/** Writes a new token and its event. */

import { TerminalError } from "@reprise/core/errors/errors";
import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";

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
