/** Reads one delivery, or the newest ones of one webhook or of all. */

import type { Delivery } from "../../contract/webhooks.ts";
import type { Verb } from "../verb.ts";

export interface DeliveryRow
  extends Pick<
    Delivery,
    "id" | "webhook" | "seq" | "type" | "state" | "tries" | "status" | "error"
  > {
  created_at: number;
  tried_at: number | null;
  next_at: number | null;
}

export const deliveryColumns =
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

export function deliveryFrom({ created_at, tried_at, next_at, ...row }: DeliveryRow): Delivery {
  return { ...row, createdAt: created_at, triedAt: tried_at, nextAt: next_at };
}
