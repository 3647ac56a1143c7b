/** The verbs of webhooks. */

import { NotFoundError } from "@reprise/core/errors/errors";
import { command } from "@reprise/core/errors/hint";
import type { Webhook } from "../../contract/webhooks.ts";
import { appendEvent, doneBy } from "../events/events.ts";
import type { Verb } from "../verb.ts";

// Reads one webhook, or all of them, oldest first.

interface WebhookRow extends Pick<Webhook, "id" | "direction" | "url" | "secret" | "cursor"> {
  events: string;
  created_at: number;
}

const columns = "id, direction, url, events, secret, cursor, created_at";

export const readWebhook: Verb<"readWebhook"> = function* (db, id) {
  const row = yield* db.get<WebhookRow>(`SELECT ${columns} FROM webhook WHERE id = :id`, { id });
  return row ? webhookFrom(row) : null;
};

export const listWebhooks: Verb<"listWebhooks"> = function* (db) {
  return (yield* db.all<WebhookRow>(`SELECT ${columns} FROM webhook ORDER BY created_at, id`)).map(
    webhookFrom,
  );
};

function webhookFrom({ events, created_at, ...row }: WebhookRow): Webhook {
  return { ...row, events: JSON.parse(events), createdAt: created_at };
}

/** Writes a new webhook; an existing one with the id stays as it is. */
export const createWebhook: Verb<"createWebhook"> = function* (db, webhook) {
  const { id, direction, url, events, secret, cursor, createdAt, by } = webhook;
  const inserted = yield* db.change(
    `INSERT INTO webhook (id, direction, url, events, secret, cursor, created_at)
     VALUES (:id, :direction, :url, :events, :secret, :cursor, :createdAt)
     ON CONFLICT (id) DO NOTHING`,
    { id, direction, url, events: JSON.stringify(events), secret, cursor, createdAt },
  );
  if (inserted === 0) return;
  const data = { direction, url, events, ...doneBy({ by }) };
  yield* appendEvent(db, `webhook:${id}`, { type: "webhook.created", data }, createdAt);
};

/** Removes a webhook with its deliveries, including those that are still due. */
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
