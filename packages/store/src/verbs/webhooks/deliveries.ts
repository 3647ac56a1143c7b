/** The verbs of deliveries to webhooks. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import type { Delivery } from "../../contract/webhooks.ts";
import { insertDue } from "../due/due.ts";
import type { Verb } from "../verb.ts";

/** Advances a webhook in the event log and queues its deliveries. */
export const queueDeliveries: Verb<"queueDeliveries"> = function* (
  db,
  { webhook, after, upTo, deliveries, forgetBefore, at },
) {
  const moved = yield* db.change(
    "UPDATE webhook SET cursor = :upTo WHERE id = :webhook AND cursor = :after",
    { webhook, after, upTo },
  );
  if (moved === 0) return false;
  for (const { id, seq, type } of deliveries) {
    yield* db.run(
      `INSERT INTO delivery (id, webhook, seq, type, state, tries, created_at)
       VALUES (:id, :webhook, :seq, :type, 'due', 0, :at)`,
      { id, webhook, seq, type, at },
    );
    const due = `webhook:${id}`;
    yield* insertDue(db, { id: due, key: due, at, payload: { delivery: id } });
  }
  yield* db.run(
    "DELETE FROM delivery WHERE webhook = :webhook AND state <> 'due' AND created_at < :forgetBefore",
    { webhook, forgetBefore },
  );
  return true;
};

// Reads one delivery, or the newest ones of one webhook or of all.

interface DeliveryRow
  extends Pick<
    Delivery,
    "id" | "webhook" | "seq" | "type" | "state" | "tries" | "status" | "error"
  > {
  created_at: number;
  tried_at: number | null;
  next_at: number | null;
}

const deliveryColumns =
  "id, webhook, seq, type, state, tries, status, error, created_at, tried_at, next_at";

export const readDelivery: Verb<"readDelivery"> = function* (db, id) {
  const sql = `SELECT ${deliveryColumns} FROM delivery WHERE id = :id`;
  const row = yield* db.get<DeliveryRow>(sql, { id });
  return row ? deliveryFrom(row) : null;
};

export const listDeliveries: Verb<"listDeliveries"> = function* (db, { webhook, limit }) {
  return (yield* db.all<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM delivery
       WHERE CAST(:webhook AS TEXT) IS NULL OR webhook = :webhook
       ORDER BY seq DESC, id LIMIT :limit`,
    { webhook: webhook ?? null, limit },
  )).map(deliveryFrom);
};

function deliveryFrom({ created_at, tried_at, next_at, ...row }: DeliveryRow): Delivery {
  return { ...row, createdAt: created_at, triedAt: tried_at, nextAt: next_at };
}

/** Makes a delivery due again, as if for the first time. */
export const replayDelivery: Verb<"replayDelivery"> = function* (db, { id, at }) {
  const row = yield* db.get<DeliveryRow>(
    `UPDATE delivery SET state = 'due', next_at = :at WHERE id = :id RETURNING ${deliveryColumns}`,
    { id, at },
  );
  if (row === undefined)
    throw new NotFoundError(
      "no-delivery",
      `There is no delivery ${id}.`,
      `List them with ${command("webhook deliveries")}.`,
    );
  const due = `webhook:${id}`;
  // A delivery that waits for its next try becomes due now.
  yield* db.run("DELETE FROM due WHERE id = :due AND owner IS NULL", { due });
  yield* insertDue(db, { id: due, key: due, at, payload: { delivery: id } });
  return deliveryFrom(row);
};

/** Records the result of a delivery and when to retry it; no effect if the claim has another owner. */
export const settleDelivery: Verb<"settleDelivery"> = function* (
  db,
  { id, owner, state, status, error, again, at },
) {
  const due = `webhook:${id}`;
  const settled =
    again === null
      ? yield* db.change("DELETE FROM due WHERE id = :due AND owner = :owner", { due, owner })
      : yield* db.change(
          `UPDATE due SET at = :again, failures = failures + 1, owner = NULL, claimed_until = NULL
           WHERE id = :due AND owner = :owner`,
          { due, owner, again },
        );
  if (settled === 0) return;
  yield* db.run(
    `UPDATE delivery SET state = :state, tries = tries + 1, status = :status, error = :error,
       tried_at = :at, next_at = :again
     WHERE id = :id`,
    { id, state, status, error, again, at },
  );
};
