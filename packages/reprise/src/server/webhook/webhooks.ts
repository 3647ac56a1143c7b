/**
 * Sends events to outgoing webhooks. Deliveries are stored together with the position in the log, so each event
 * is queued once. A delivery is retried with growing pauses; after the last one, a person can replay it.
 */

import { type Engine, newId } from "@reprise/engine/engine";
import { itemView } from "@reprise/engine/inbox/views";
import type { StoredEvent } from "@reprise/store/contract/events";
import type { Delivery, Webhook } from "@reprise/store/contract/webhooks";
import type { InFlight } from "../in-flight.ts";
import type { Log } from "../log.ts";
import { signatureHeader, signatureOf, timestampHeader } from "./signature.ts";

export interface WebhooksOptions {
  readonly engine: Pick<Engine, "store" | "owner" | "now">;
  readonly work: InFlight;
  readonly log: Log;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** The pause after each failure before the next attempt. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, 2 * hour, 6 * hour];
/** Must be shorter than a claim lasts. */
const patience = 20 * second;
const batch = 500;
/** Maximum concurrent requests to one receiver. */
const atOnce = 4;
const month = 30 * 24 * hour;

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #delivering = new Set<Promise<void>>();
  /** Requests that are open, by receiver. */
  readonly #open = new Map<string, number>();
  /** The newest event at the last poll; without a newer one there is nothing to queue. */
  #seen = -1;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** Starts deliveries that are due, without waiting for the receivers. */
  async look(): Promise<void> {
    await this.#queue();
    await this.#deliver();
  }

  /** Resolves when nothing is being delivered. */
  async idle(): Promise<void> {
    while (this.#delivering.size > 0) await Promise.all(this.#delivering);
  }

  async #queue(): Promise<void> {
    const { store } = this.#options.engine;
    const last = await store.lastEvent();
    if (last === this.#seen) return;
    for (const hook of await store.listWebhooks())
      if (hook.direction === "outgoing") await this.#queueFor(hook, last);
    this.#seen = last;
  }

  async #queueFor(hook: Webhook, last: number): Promise<void> {
    const { store, now } = this.#options.engine;
    for (let after = hook.cursor; after < last; ) {
      const events = await store.readEvents({ after, limit: batch });
      const upTo = events.at(-1)?.seq ?? after;
      if (upTo === after) return;
      const deliveries = events
        .filter(({ type }) => hook.events.some((wanted) => fits(wanted, type)))
        .map(({ seq, type }) => ({ id: newId(), seq, type }));
      const at = now();
      const queue = { webhook: hook.id, after, upTo, deliveries, forgetBefore: at - month, at };
      if (!(await store.queueDeliveries(queue))) return;
      after = upTo;
    }
  }

  /** Each receiver has its own requests, so one that does not answer does not delay the others. */
  async #deliver(): Promise<void> {
    for (const { id, direction } of await this.#options.engine.store.listWebhooks())
      if (direction === "outgoing") await this.#deliverTo(id);
  }

  /** Starts as many requests as the receiver may have at once; each that ends makes room for the next. */
  async #deliverTo(webhook: string): Promise<void> {
    const { engine, work } = this.#options;
    const { host, pid, start } = engine.owner;
    const owner = `${host}:${pid}:${start}`;
    const free = atOnce - (this.#open.get(webhook) ?? 0);
    if (work.stopping.aborted || free <= 0) return;
    // Reserved before the store is read, so that two calls together do not start too many.
    this.#count(webhook, free);
    const claim = { owner, kind: "webhook", webhook, limit: free };
    const due = await engine.store.claimDue(claim).catch((error) => {
      this.#count(webhook, -free);
      throw error;
    });
    this.#count(webhook, due.length - free);
    for (const { payload, failures } of due) {
      const delivering = work
        .do(() => this.#try((payload as { delivery: string }).delivery, owner, failures))
        .catch((error) => this.#failed(error))
        .finally(() => this.#count(webhook, -1))
        .then(() => this.#deliverTo(webhook))
        .catch((error) => this.#failed(error))
        .finally(() => this.#delivering.delete(delivering));
      this.#delivering.add(delivering);
    }
  }

  #count(webhook: string, more: number): void {
    const open = (this.#open.get(webhook) ?? 0) + more;
    if (open > 0) this.#open.set(webhook, open);
    else this.#open.delete(webhook);
  }

  #failed(error: unknown): void {
    const { work, log } = this.#options;
    if (!work.stopping.aborted) log("error", "webhooks failed", { error: String(error) });
  }

  async #try(id: string, owner: string, failures: number): Promise<void> {
    const { engine, log } = this.#options;
    const delivery = await engine.store.readDelivery(id);
    if (delivery === null)
      return engine.store.settleDue({ id: `webhook:${id}`, owner, again: null });
    const { status, error, final } = await this.#send(delivery);
    const at = engine.now();
    const pause = final ? undefined : pauses[failures];
    const state = error === null ? "done" : pause === undefined ? "failed" : "due";
    const again = state === "due" ? at + (pause ?? 0) : null;
    await engine.store.settleDelivery({ id, owner, state, status, error, again, at });
    const fields = { delivery: id, webhook: delivery.webhook, event: delivery.type, status, error };
    if (state === "done") log("debug", "webhook delivered", fields);
    else log("warn", state === "due" ? "webhook failed; it is retried" : "webhook failed", fields);
  }

  async #send(delivery: Delivery): Promise<Tried> {
    const { store, now } = this.#options.engine;
    const hook = await store.readWebhook(delivery.webhook);
    const [event] = await store.readEvents({ after: delivery.seq - 1, limit: 1 });
    if (hook === null || hook.url === null || event?.seq !== delivery.seq)
      return { status: null, error: "The event no longer exists.", final: true };
    const body = JSON.stringify(await this.#message(delivery, event));
    const seconds = Math.floor(now() / 1000);
    try {
      const response = await fetch(hook.url, {
        method: "POST",
        // The owner did not agree to the redirect's target.
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          "user-agent": "reprise",
          "reprise-delivery": delivery.id,
          "reprise-event": delivery.type,
          [timestampHeader]: String(seconds),
          [signatureHeader]: signatureOf(hook.secret, seconds, body),
        },
        body,
        signal: AbortSignal.any([AbortSignal.timeout(patience), this.#options.work.stopping]),
      });
      await response.body?.cancel();
      const error = response.ok ? null : `It answered ${response.status}.`;
      return { status: response.status, error, final: false };
    } catch (error) {
      return { status: null, error: reasonOf(error), final: false };
    }
  }

  /** A `gate.opened` event carries the gate's question, so that the receiver can show it. */
  async #message({ id, webhook }: Delivery, event: StoredEvent): Promise<object> {
    const { item } = (event.data ?? {}) as { item?: unknown };
    const asked = typeof item === "string" ? await this.#options.engine.store.readItem(item) : null;
    return { delivery: id, webhook, event, ...(asked && { item: itemView(asked) }) };
  }
}

interface Tried {
  readonly status: number | null;
  readonly error: string | null;
  /** Retrying would not help. */
  readonly final: boolean;
}

/** `gate.*` matches all events of a kind. */
export function fits(wanted: string, type: string): boolean {
  if (wanted === "*") return true;
  return wanted.endsWith(".*") ? type.startsWith(wanted.slice(0, -1)) : wanted === type;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return `No answer: ${cause?.code ?? message ?? String(error)}.`;
}
