/** The verbs of repeated calls, which are known by an idempotency key. */

import type { Call } from "../../contract/calls.ts";
import type { Verb } from "../verb.ts";

// Writes a repeatable call, or returns the existing one.

interface CallRow extends Omit<Call, "answer"> {
  status: number | null;
  body: string | null;
}

export const beginCall: Verb<"beginCall"> = function* (db, { forgetBefore, ...begin }) {
  const { token, key, fingerprint, subject, at } = begin;
  yield* db.run("DELETE FROM call WHERE at < :forgetBefore", { forgetBefore });
  const inserted = yield* db.change(
    `INSERT INTO call (token, key, fingerprint, subject, at)
     VALUES (:token, :key, :fingerprint, :subject, :at)
     ON CONFLICT (token, key) DO NOTHING`,
    { token, key, fingerprint, subject, at },
  );
  if (inserted > 0) return { begun: true, call: { ...begin, answer: null } };
  const row = yield* db.get<CallRow>(
    `SELECT token, key, fingerprint, subject, at, status, body FROM call
     WHERE token = :token AND key = :key`,
    { token, key },
  );
  return { begun: false, call: callFrom(row!) };
};

function callFrom({ status, body, ...row }: CallRow): Call {
  return { ...row, answer: status === null ? null : { status, body: body ?? "" } };
}

/** Records the turn or run that a call started. */
export const acceptCall: Verb<"acceptCall"> = function* (db, { token, key, subject }) {
  yield* db.run(
    "UPDATE call SET subject = :subject WHERE token = :token AND key = :key AND status IS NULL",
    { token, key, subject },
  );
};

/** Stores the answer to a call, for repeated calls. */
export const settleCall: Verb<"settleCall"> = function* (
  db,
  { token, key, status, body, session },
) {
  yield* db.run(
    `UPDATE call SET status = :status, body = :body, session = :session
     WHERE token = :token AND key = :key AND status IS NULL`,
    { token, key, status, body, session },
  );
};

/** Removes a call without an answer, so that it can be made again. */
export const dropCall: Verb<"dropCall"> = function* (db, { token, key }) {
  yield* db.run("DELETE FROM call WHERE token = :token AND key = :key AND status IS NULL", {
    token,
    key,
  });
};
