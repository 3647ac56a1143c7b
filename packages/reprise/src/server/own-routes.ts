/** The routes about the server itself: health, readiness, login, the OpenAPI document and metrics. */

import type { Readiness, Reprise } from "@reprise/core/api/reprise";
import type { Hono } from "hono";
import type { EventFeed } from "./event-feed.ts";
import { type Gatekeeper, requireRole } from "./gatekeeper.ts";
import type { InFlight } from "./in-flight.ts";
import { answerLogin, answerLogout } from "./login.ts";
import type { Metrics } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import type { ServerContext, ServerEnv } from "./parts.ts";

/** The check writes to the disk, so its result is reused for this long, in milliseconds. */
const lookEvery = 1000;

const stoppingNow: Readiness = {
  ready: false,
  reasons: [
    {
      code: "stopping",
      text: "The server is about to stop.",
      hint: "Try again when it has been started again.",
    },
  ],
};

function lately(look: () => Promise<Readiness>, now: () => number): () => Promise<Readiness> {
  let last: { readonly at: number; readonly found: Promise<Readiness> } | null = null;
  return () => {
    const at = now();
    if (last === null || Math.abs(at - last.at) >= lookEvery) last = { at, found: look() };
    return last.found;
  };
}

/** Facts that every client may see. */
export interface About {
  readonly version: string;
  /** A digest of the home's path. */
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
  for (const path of ["/openapi.json", "/v1/openapi.json"])
    app.get(path, (c) => {
      c.set("route", "openapi");
      return c.json(openApi());
    });
  // A monotonic clock, since the machine's clock may be set back.
  const began = performance.now();
  app.get("/metrics", (c) => answerMetrics(parts, c, (performance.now() - began) / 1000));
}

async function answerMetrics(parts: OwnParts, c: ServerContext, uptime: number): Promise<Response> {
  const { reprise, work, metrics, feed } = parts;
  c.set("route", "metrics");
  requireRole(c.get("caller"), "viewer");
  const waiting = await reprise.inbox.list();
  const text = metrics.text({
    work_under_way: { about: "Calls in flight.", value: work.size },
    event_streams: { about: "Readers of the event log.", value: feed.readers },
    events: { about: "Sequence number of the newest event.", value: await feed.now() },
    inbox_waiting: { about: "Items that wait for a person.", value: waiting.length },
    uptime_seconds: { about: "Seconds since the start.", value: uptime },
    memory_bytes: { about: "Resident memory of the server.", value: process.memoryUsage.rss() },
  });
  return c.text(text, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
}
