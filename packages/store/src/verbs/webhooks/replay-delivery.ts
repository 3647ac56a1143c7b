/** Makes a delivery due again, as if for the first time. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import { insertDue } from "../due/due.ts";
import type { Verb } from "../verb.ts";
import { type DeliveryRow, deliveryColumns, deliveryFrom } from "./read-deliveries.ts";

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
