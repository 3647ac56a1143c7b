/** Counts and logs every request. */

import type { MiddlewareHandler } from "hono";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { ServerEnv } from "./parts.ts";

/** The URL is not logged: it contains the client's names, and may contain a token. */
export function watched(metrics: Metrics, log: Log): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const began = performance.now();
    c.set("route", "none");
    await next();
    if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
    const seconds = (performance.now() - began) / 1000;
    const { status } = c.res;
    const route = c.get("route");
    metrics.count({ route, status, seconds });
    log(status >= 500 ? "warn" : "info", "request", {
      method: c.req.method,
      route,
      status,
      seconds,
      by: c.get("caller")?.name ?? null,
    });
  };
}
