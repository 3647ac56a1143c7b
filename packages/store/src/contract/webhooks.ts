/** Webhooks and their deliveries. */

import type { DoneBy } from "./events.ts";

/** A receiver of events, or a sender of answers to inbox items; its messages are signed with a secret. */
export interface Webhook {
  readonly id: string;
  readonly direction: "outgoing" | "incoming";
  /** Where events are sent; null for an incoming one. */
  readonly url: string | null;
  /** Types of events: `run.ended`, `gate.*`, `*`. */
  readonly events: readonly string[];
  readonly secret: string;
  /** The last event that was considered for it. */
  readonly cursor: number;
  readonly createdAt: number;
}

/** One event to send to a webhook. */
export interface Delivery {
  readonly id: string;
  readonly webhook: string;
  /** The event's sequence number. */
  readonly seq: number;
  readonly type: string;
  /** `failed`: it is not retried automatically. */
  readonly state: "due" | "done" | "failed";
  readonly tries: number;
  /** HTTP status of the last try; null if there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly triedAt: number | null;
  readonly nextAt: number | null;
}

export interface WebhookStore {
  createWebhook(webhook: Webhook & DoneBy): Promise<void>;
  readWebhook(id: string): Promise<Webhook | null>;
  /** Oldest first. */
  listWebhooks(): Promise<Webhook[]>;
  /** With its deliveries. @throws NotFoundError `no-webhook` */
  removeWebhook(remove: { id: string; at: number } & DoneBy): Promise<void>;
  /**
   * Advances the webhook from event `after` to `upTo` and makes its deliveries due at once, as
   * `webhook:<delivery>`. False, and nothing is written, if another process did so. Also removes finished
   * deliveries that began before `forgetBefore`.
   */
  queueDeliveries(queue: {
    webhook: string;
    after: number;
    upTo: number;
    deliveries: readonly Pick<Delivery, "id" | "seq" | "type">[];
    forgetBefore: number;
    at: number;
  }): Promise<boolean>;
  /** Records a try of a delivery that `owner` claimed, due again at `again`; no effect if the claim has another owner. */
  settleDelivery(
    settle: Pick<Delivery, "id" | "state" | "status" | "error"> & {
      owner: string;
      again: number | null;
      at: number;
    },
  ): Promise<void>;
  /** Makes it due again. @throws NotFoundError `no-delivery` */
  replayDelivery(replay: { id: string; at: number }): Promise<Delivery>;
  readDelivery(id: string): Promise<Delivery | null>;
  /** Newest first. */
  listDeliveries(query: { webhook?: string; limit: number }): Promise<Delivery[]>;
}
