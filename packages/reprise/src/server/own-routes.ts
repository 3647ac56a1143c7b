/** The routes about the server itself: that it is there, who asks, what it can, and how it does. */

import type { Readiness, Reprise } from "@reprise/core/api/reprise";
import type { Hono } from "hono";
import type { EventFeed } from "./event-feed.ts";
import { type Gatekeeper, requireRole } from "./gatekeeper.ts";
import type { InFlight } from "./in-flight.ts";
import { answerLogin, answerLogout } from "./login.ts";
import type { Metrics } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import type { ServerContext, ServerEnv } from "./parts.ts";

/** A look writes to the disk, so all who ask within this time get the same answer, in milliseconds. */
const lookEvery = 1000;

const stoppingNow: Readiness = {
  ready: false,
  reasons: [{ code: "stopping", text: "The server is about to stop.", hint: "Ask the next one." }],
};

function lately(look: () => Promise<Readiness>, now: () => number): () => Promise<Readiness> {
  let last: { readonly at: number; readonly found: Promise<Readiness> } | null = null;
  return () => {
    const at = now();
    if (last === null || Math.abs(at - last.at) >= lookEvery) last = { at, found: look() };
    return last.found;
  };
}

/** What everybody is told. */
export interface About {
  readonly version: string;
  /** The home, by a digest. */
  readonly home: string;
  readonly startedAt: number;
}

export interface OwnParts {
  readonly reprise: Reprise;
  readonly work: InFlight;
  readonly about: About;
  readonly now: () => number;
  readonly gatekeeper: Gatekeeper;
  readonly metrics: Metrics;
  readonly feed: EventFeed;
}

export function addOwnRoutes(app: Hono<ServerEnv>, parts: OwnParts): void {
  const { work, about, gatekeeper } = parts;
  app.get("/v1/health", (c) => {
    c.set("route", "health");
    return c.json({ status: work.stopping.aborted ? "stopping" : "ok", ...about });
  });
  const look = lately(() => parts.reprise.ready(), parts.now);
  app.get("/v1/ready", async (c) => {
    c.set("route", "ready");
    const readiness = work.stopping.aborted ? stoppingNow : await look();
    return c.json(readiness, readiness.ready ? 200 : 503);
  });
  app.post("/v1/login", (c) => answerLogin(gatekeeper, c));
  app.post("/v1/logout", (c) => answerLogout(gatekeeper, c));
  app.get("/v1/caller", (c) => {
    c.set("route", "caller");
    const { name, role } = c.get("caller");
    return c.json({ name, role });
  });
  app.get("/openapi.json", (c) => {
    c.set("route", "openapi");
    return c.json(openApi());
  });
  app.get("/metrics", (c) => answerMetrics(parts, c));
}

async function answerMetrics(parts: OwnParts, c: ServerContext): Promise<Response> {
  const { reprise, work, about, now, metrics, feed } = parts;
  c.set("route", "metrics");
  requireRole(c.get("caller"), "viewer");
  const waiting = await reprise.inbox.list();
  const text = metrics.text({
    work_under_way: { about: "Calls that are being worked on.", value: work.size },
    event_streams: { about: "Readers of the event log.", value: feed.readers },
    events: { about: "The number of the newest event.", value: await feed.now() },
    inbox_waiting: { about: "What waits for a person.", value: waiting.length },
    uptime_seconds: { about: "Since the start.", value: (now() - about.startedAt) / 1000 },
    memory_bytes: { about: "Memory of this process.", value: process.memoryUsage.rss() },
  });
  return c.text(text, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
}
