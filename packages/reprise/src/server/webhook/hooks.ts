/** Adds, finds and lists webhooks, without showing their secrets. */

import { randomBytes } from "node:crypto";
import { eventPatterns, eventTypes } from "@reprise/core/api/event-types";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { suggestion } from "@reprise/core/errors/suggestion";
import { newId } from "@reprise/engine/engine";
import type { DoneBy } from "@reprise/store/contract/events";
import type { Webhook } from "@reprise/store/contract/webhooks";
import type { Store } from "@reprise/store/store";

export type WebhookView = Omit<Webhook, "secret" | "cursor">;

export interface NewWebhook extends DoneBy {
  readonly url: string | null;
  readonly events: readonly string[];
  /** Null: one is generated. */
  readonly secret: string | null;
  readonly at: number;
}

const shortest = 16;
/** Characters of an id that identify a webhook. */
const idLength = 12;

/** The secret is shown only once. The webhook gets events from now on. */
export async function addWebhook(
  store: Pick<Store, "createWebhook" | "lastEvent">,
  { url, events, secret, by, at }: NewWebhook,
): Promise<{ webhook: WebhookView; secret: string }> {
  if (url !== null) checkUrl(url);
  checkEvents(url, events);
  if (secret !== null && secret.length < shortest)
    throw new UsageError(
      "short-secret",
      `The secret has fewer than ${shortest} characters.`,
      "Use a longer one, or leave it out to have one generated.",
    );
  const webhook: Webhook = {
    id: newId().slice(0, idLength),
    direction: url === null ? "incoming" : "outgoing",
    url,
    events,
    secret: secret ?? randomBytes(32).toString("base64url"),
    cursor: await store.lastEvent(),
    createdAt: at,
  };
  await store.createWebhook({ ...webhook, by });
  return { webhook: webhookView(webhook), secret: webhook.secret };
}

export async function listWebhooks(store: Pick<Store, "listWebhooks">): Promise<WebhookView[]> {
  return (await store.listWebhooks()).map(webhookView);
}

/** A webhook by its id or the beginning of one. @throws NotFoundError `no-webhook`; @throws UsageError `ambiguous` */
export async function findWebhook(
  store: Pick<Store, "listWebhooks">,
  wanted: string,
): Promise<WebhookView> {
  const all = await store.listWebhooks();
  const [found, other] = all.filter(({ id }) => id.startsWith(wanted));
  if (found === undefined || wanted === "")
    throw new NotFoundError(
      "no-webhook",
      `There is no webhook ${wanted}.`,
      '"reprise webhook list" shows the webhooks.',
    );
  if (other && found.id !== wanted)
    throw new UsageError(
      "ambiguous",
      `Several webhooks begin with ${wanted}.`,
      "Give more of the id.",
    );
  return webhookView(found);
}

function webhookView({ secret: _, cursor: __, ...webhook }: Webhook): WebhookView {
  return webhook;
}

function checkUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password) return;
  throw new UsageError(
    "bad-url",
    `"${url.slice(0, 200)}" is not an address that events can be sent to.`,
    "Use one that begins with https:// or http://, without a password in it.",
  );
}

function nearest(typed: string): string {
  const meant = suggestion(typed, eventPatterns);
  return meant ? `Did you mean ${meant}? ` : "";
}

function checkEvents(url: string | null, events: readonly string[]): void {
  const bad = events.find((event) => !eventPatterns.includes(event));
  if (bad !== undefined)
    throw new UsageError(
      "bad-event",
      `There is no event type "${bad.slice(0, 80)}".`,
      `${nearest(bad)}The types are ${eventTypes.join(", ")}; gate.* means a whole group, * all events.`,
    );
  if (url !== null && events.length === 0)
    throw new UsageError(
      "no-event",
      "No event types were given.",
      "Name them with --event, as in run.ended,gate.opened.",
    );
}
