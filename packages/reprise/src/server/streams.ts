/** The routes that stream events: all events, or those of one run. */

import { parse } from "@reprise/core/api/parse";
import type { EventView } from "@reprise/core/api/reprise";
import type { Role } from "@reprise/core/api/role";
import { shownTo } from "@reprise/core/api/shown-to";
import { z } from "zod";
import { cursorOf, eventStream } from "./event-stream.ts";
import { requireRole } from "./gatekeeper.ts";
import { checkPath, singleValues } from "./input.ts";
import type { Parts, ServerContext } from "./parts.ts";

export const eventsPath = "/v1/events";
export const runEventsPath = "/v1/runs/{run}/events";

export const eventsQuery = z.strictObject({ after: z.string().optional() });
export const followQuery = eventsQuery.extend({ follow: z.stringbool().default(true) });

export async function answerEvents(
  parts: Parts,
  c: ServerContext,
  heartbeat: number,
): Promise<Response> {
  c.set("route", "events");
  requireRole(c.get("caller"), "viewer");
  parse(eventsQuery, singleValues(new URL(c.req.url).searchParams));
  const after = askedFor(c) ?? (await parts.feed.now());
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, parts.work.stopping]);
  return eventStream(eventsFor(c.get("caller").role, parts.feed.events(after, signal)), {
    heartbeat,
    signal,
    stop: () => ending.abort(),
  });
}

/**
 * Ends with the run, or with `follow=false` after the events so far. A reader that reconnects after the end gets 204.
 */
export async function answerRunEvents(
  parts: Parts,
  c: ServerContext,
  heartbeat: number,
): Promise<Response> {
  c.set("route", "runs.events");
  requireRole(c.get("caller"), "viewer");
  const path = c.req.param();
  checkPath(path);
  const { follow } = parse(followQuery, singleValues(new URL(c.req.url).searchParams));
  const { id, endedAt } = await parts.reprise.runs.show(path.run ?? "");
  const after = askedFor(c) ?? (await parts.feed.now());
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, parts.work.stopping]);
  const events = parts.reprise.runs.events(id, { after, follow, signal })[Symbol.asyncIterator]();
  const first = endedAt === null && follow ? null : await events.next();
  if (first?.done) return new Response(null, { status: 204 });
  return eventStream(eventsFor(c.get("caller").role, resumed(first, events)), {
    heartbeat,
    signal,
    stop: () => ending.abort(),
  });
}

async function* eventsFor(role: Role, events: AsyncIterable<EventView>): AsyncGenerator<EventView> {
  for await (const event of events) yield shownTo(role, event);
}

async function* resumed(
  first: IteratorResult<EventView> | null,
  rest: AsyncIterator<EventView>,
): AsyncGenerator<EventView> {
  if (first) yield first.value;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function askedFor(c: ServerContext): number | null {
  const { after } = singleValues(new URL(c.req.url).searchParams);
  return cursorOf(c.req.header("last-event-id"), after);
}
