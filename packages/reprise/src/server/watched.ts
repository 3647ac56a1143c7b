/** What every response says, and what is noted of every request. */

import type { MiddlewareHandler } from "hono";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { ServerEnv } from "./parts.ts";

const safety = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** The address is not noted: it has names of the caller, and may have a token. */
export function watched(metrics: Metrics, log: Log): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const began = performance.now();
    c.set("route", "none");
    await next();
    for (const [name, value] of Object.entries(safety)) c.header(name, value);
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
