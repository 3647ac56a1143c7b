/** How the verbs of webhooks run: what they read or write, and how durable it is. */

import type { WebhookStore } from "../../contract/webhooks.ts";
import type { Transactions } from "../transactions.ts";
import { createWebhook } from "./create-webhook.ts";
import { queueDeliveries } from "./queue-deliveries.ts";
import { listDeliveries, readDelivery } from "./read-deliveries.ts";
import { listWebhooks, readWebhook } from "./read-webhooks.ts";
import { removeWebhook } from "./remove-webhook.ts";
import { replayDelivery } from "./replay-delivery.ts";
import { settleDelivery } from "./settle-delivery.ts";

export const webhookStore = ({ read, write }: Transactions): WebhookStore => ({
  createWebhook: write(createWebhook),
  readWebhook: read(readWebhook),
  listWebhooks: read(listWebhooks),
  removeWebhook: write(removeWebhook),
  queueDeliveries: write(queueDeliveries),
  settleDelivery: write(settleDelivery),
  replayDelivery: write(replayDelivery),
  readDelivery: read(readDelivery),
  listDeliveries: read(listDeliveries),
});
