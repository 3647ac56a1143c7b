/** What is due: deadlines, deliveries and other timers. */

import type { Due, NewDue } from "../../contract/due.ts";
import type { Db, Query } from "../db.ts";
import { fromJson, lockName } from "../row.ts";
import type { Verb } from "../verb.ts";

/** An existing row with the same id stays as it is. */
export function* insertDue(db: Db, { id, key, at, payload }: NewDue): Query<void> {
  yield* db.run(
    `INSERT INTO due (id, key, at, position, failures, payload)
     VALUES (:id, :key, :at, ${db.dialect.duePosition}, 0, :payload)
     ON CONFLICT (id) DO NOTHING`,
    { id, key, at, payload: JSON.stringify(payload) },
  );
}

/** Removes the due row of a gate's deadline. */
export function* removeDeadline(db: Db, item: string): Query<void> {
  yield* db.run("DELETE FROM due WHERE id = :id", { id: `deadline:${item}` });
}

// Claims what is due. A key has one claim at a time, on its first row in the order of `at`; a claim that is
// not settled within a minute expires, so that a dead process does not block others for ever.
// /

const claimLasts = 60_000;

export const claimDue: Verb<"claimDue"> = function* (db, { owner, kind, webhook, limit }) {
  yield* lockName(db, "due");
  const now = yield* db.now();
  const rows = yield* db.all<Omit<Due, "payload"> & { payload: string }>(
    `SELECT id, key, at, failures, payload FROM due
     WHERE at <= :now
       AND (CAST(:kind AS TEXT) IS NULL OR substr(id, 1, length(:kind) + 1) = :kind || ':')
       AND (CAST(:webhook AS TEXT) IS NULL OR EXISTS (
         SELECT 1 FROM delivery WHERE delivery.id = substr(due.id, 9) AND delivery.webhook = :webhook))
       AND (claimed_until IS NULL OR claimed_until < :now)
       AND NOT EXISTS (
         SELECT 1 FROM due AS claimed
         WHERE claimed.key = due.key AND claimed.claimed_until >= :now)
       AND NOT EXISTS (
         SELECT 1 FROM due AS earlier
         WHERE earlier.key = due.key AND (earlier.at, earlier.position) < (due.at, due.position))
     ORDER BY at, position LIMIT :limit`,
    { now, limit, kind: kind ?? null, webhook: webhook ?? null },
  );
  for (const { id } of rows)
    yield* db.run("UPDATE due SET owner = :owner, claimed_until = :claimedUntil WHERE id = :id", {
      id,
      owner,
      claimedUntil: now + claimLasts,
    });
  return rows.map((row) => ({ ...row, payload: fromJson(row.payload) }));
};

/** Removes a claimed row, or makes it due again; no effect if the claim has another owner. */
export const settleDue: Verb<"settleDue"> = function* (db, { id, owner, again }) {
  if (again === null)
    yield* db.run("DELETE FROM due WHERE id = :id AND owner = :owner", { id, owner });
  else
    yield* db.run(
      `UPDATE due SET at = :again, failures = failures + 1, owner = NULL, claimed_until = NULL
       WHERE id = :id AND owner = :owner`,
      { id, owner, again },
    );
};
