/** Writes a new webhook; an existing one with the id stays as it is. */

import { appendEvent, doneBy } from "../events/event.ts";
import type { Verb } from "../verb.ts";

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
