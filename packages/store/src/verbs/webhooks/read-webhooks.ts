/** Reads one webhook, or all of them, oldest first. */

import type { Webhook } from "../../contract/webhooks.ts";
import type { Verb } from "../verb.ts";

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
