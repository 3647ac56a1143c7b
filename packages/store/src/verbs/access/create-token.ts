/** Writes a new token and its event. */

import { UsageError } from "@reprise/core/errors/errors";
import { appendEvent } from "../events/event.ts";
import type { Verb } from "../verb.ts";

export const createToken: Verb<"createToken"> = function* (db, { hash, name, role, createdAt }) {
  const inserted = yield* db.change(
    `INSERT INTO token (hash, name, role, created_at)
     VALUES (:hash, :name, :role, :createdAt)
     ON CONFLICT DO NOTHING`,
    { hash, name, role, createdAt },
  );
  if (inserted === 0)
    throw new UsageError(
      "token-exists",
      `A token named ${name} already exists.`,
      "Choose another name, or revoke that one first.",
    );
  yield* appendEvent(db, `token:${name}`, { type: "token.created", data: { role } }, createdAt);
};
