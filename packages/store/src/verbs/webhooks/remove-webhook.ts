/** Removes a webhook with its deliveries, including those that are still due. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";

export const removeWebhook: Verb<"removeWebhook"> = function* (db, { id, at, by }) {
  yield* db.run(
    "DELETE FROM due WHERE id IN (SELECT 'webhook:' || id FROM delivery WHERE webhook = :id)",
    { id },
  );
  // Cascades to its deliveries.
  if ((yield* db.change("DELETE FROM webhook WHERE id = :id", { id })) === 0)
    throw new NotFoundError(
      "no-webhook",
      `There is no webhook ${id}.`,
      `List the webhooks with ${command("webhook list")}.`,
    );
  yield* appendEvent(db, `webhook:${id}`, { type: "webhook.removed", data: doneBy({ by }) }, at);
};
