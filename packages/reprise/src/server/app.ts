/**
 * The server as one function from a request to a response: every method of `Reprise` over HTTP, events as
 * streams, and the page. It opens no home and no socket, so tests can call it directly.
 *
 * @example
 * const { engine, reprise } = await openEngine({ home });
 * const work = new InFlight();
 * const app = createApp({ reprise, work, store: engine.store, token, owner: "ann", … });
 * await app.request("/v1/sessions", { headers: { authorization: `Bearer ${token}` } });
 */

import type { Reprise } from "@reprise/core/api/reprise";
import { routes } from "@reprise/core/api/routes";
import { withKey } from "@reprise/core/api/run-session";
import { newId } from "@reprise/engine/engine";
import type { Store } from "@reprise/store/store";
import { Hono } from "hono";
import { compress } from "hono/compress";
import { secureHeaders } from "hono/secure-headers";
import { Admissions } from "./admissions.ts";
import { answerOfToolResult, runPath, toolResultPaths } from "./aliases.ts";
import { answer, type RouteResponse, responseOf } from "./answer.ts";
import { bodyLimit } from "./body.ts";
import { answerExport, answerImport, exportPath, importPath } from "./bundles.ts";
import { Calls, type CallsOptions } from "./calls.ts";
import { EventFeed } from "./event-feed.ts";
import { Gatekeeper, type GatekeeperOptions } from "./gatekeeper.ts";
import { requireOwnHost } from "./hosts.ts";
import { HttpError } from "./http-error.ts";
import type { InFlight } from "./in-flight.ts";
import type { Log } from "./log.ts";
import { loginByLink } from "./login.ts";
import { Metrics } from "./metrics.ts";
import { noRoute } from "./no-route.ts";
import { type About, addOwnRoutes } from "./own-routes.ts";
import { pageFile } from "./page.ts";
import type { Parts, ServerEnv } from "./parts.ts";
import { problemOf, statusOf } from "./problem.ts";
import { RateLimit } from "./rate-limit.ts";
import { type ServedStore, storePath } from "./served-store.ts";
import { answerStore } from "./store-route.ts";
import { answerEvents, answerRunEvents, eventsPath, runEventsPath } from "./streams.ts";
import { answerRoute, routeNamed } from "./table.ts";
import { watched } from "./watched.ts";
import { answerHook, hooksPath, isHook } from "./webhook/incoming.ts";

export interface AppOptions {
  readonly reprise: Reprise;
  /** Work for clients; released when the server stops. */
  readonly work: InFlight;
  readonly store: GatekeeperOptions["store"] &
    CallsOptions["store"] &
    ServedStore &
    Pick<Store, "readEvents" | "changes" | "readWebhook">;
  /** The home's own token; null lets every client in. */
  readonly token: string | null;
  /** Name of the user with the home's own token. */
  readonly owner: string;
  /** Host names that requests may have; see `ownHosts`. */
  readonly hosts: readonly string[];
  /** What /v1/health answers, also without a token. */
  readonly about: About;
  /** Folder of the page; null when there is none. */
  readonly page: string | null;
  readonly log: Log;
  readonly now: () => number;
  /** Milliseconds of silence after which a stream sends a comment to keep the connection open. */
  readonly heartbeat?: number;
  /** Address of the proxy in front of the server. */
  readonly publicUrl?: string | null;
  /** Maximum requests per second and token; no limit unless given. */
  readonly rateLimit?: number | null;
}

/** Paths of the API that need no token. */
const open = ["/v1/health", "/v1/ready", "/v1/login", "/v1/openapi.json"];

/** A status for the log and the metrics, as nginx has it. */
const clientLeft = 499;

export function createApp(options: AppOptions): Hono<ServerEnv> {
  const { reprise, work, store, log, heartbeat = 15_000 } = options;
  const { publicUrl = null, rateLimit = null } = options;
  const gatekeeper = new Gatekeeper({ ...options, publicUrl, home: options.about.home });
  const limit = new RateLimit(rateLimit, options.now);
  const metrics = new Metrics();
  const feed = new EventFeed(store);
  const admissions = new Admissions(feed, store);
  const problem = (error: unknown): RouteResponse => {
    const incident = newId();
    const view = problemOf(error, incident);
    if (statusOf(error) === null)
      log("error", "unexpected error", {
        incident,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    return answer(view.status, view, error instanceof HttpError ? { headers: error.headers } : {});
  };
  const parts: Parts = { reprise, work, calls: new Calls(options), feed, problem };
  const app = new Hono<ServerEnv>();

  app.use(watched(metrics, log));
  // Strict transport security is up to the proxy that has the certificate.
  app.use(secureHeaders({ xFrameOptions: "DENY", strictTransportSecurity: false }));
  app.use(async (c, next) => {
    requireOwnHost(c.req.raw, options.hosts, publicUrl);
    await next();
  });
  app.use(async (c, next) => {
    if (isApi(c.req.path) && !open.includes(c.req.path) && !isHook(c.req.path)) {
      const { authorization, cookie } = c.req.header();
      const callerOf = () =>
        gatekeeper.callerOf({
          ...(authorization !== undefined && { authorization }),
          ...(cookie !== undefined && { cookie }),
        });
      const caller = await callerOf();
      if (caller instanceof HttpError) throw caller;
      c.set("caller", caller);
      limit.take(caller.id);
      if (staysOpen(c.req)) {
        const isKnown = async () => !((await callerOf()) instanceof HttpError);
        const answered = async () => {
          await next();
          return c.res;
        };
        c.res = await admissions.whileKnown(isKnown, answered);
        return;
      }
    } else if (c.req.path === "/v1/login" || isHook(c.req.path)) limit.take(`${c.req.path} `);
    await next();
  });

  addOwnRoutes(app, { ...options, gatekeeper, metrics, feed });
  app.get(pattern(eventsPath), (c) => answerEvents(parts, c, heartbeat));
  app.get(pattern(runEventsPath), (c) => answerRunEvents(parts, c, heartbeat));
  app.get(pattern(exportPath), (c) => answerExport(parts, c));
  app.post(pattern(importPath), (c) => answerImport(parts, c));
  app.all("/mcp", async (c) => {
    c.set("route", "mcp");
    const { answerMcp } = await import("../mcp/http.ts");
    const caller = c.get("caller");
    const context = { reprise, work, caller, cwd: process.cwd() };
    return answerMcp(context, c.req.raw, { maxBody: bodyLimit(caller) });
  });
  app.post(`${storePath}/:verb`, (c) => answerStore(store, c));
  app.post(pattern(hooksPath), (c) => answerHook(parts, c, options));
  for (const path of toolResultPaths)
    app.post(pattern(path), (c) =>
      answerRoute(parts, c, routeNamed("turns.answer"), (body, { turn }) =>
        answerOfToolResult(reprise, String(turn), body),
      ),
    );
  app.post(runPath, (c) =>
    answerRoute(parts, c, routeNamed("sessions.send"), async (body) => withKey(body)),
  );
  for (const route of routes)
    app.on(route.method, pattern(route.path), (c) => answerRoute(parts, c, route));

  app.get("*", compress(), async (c) => {
    if (isApi(c.req.path)) return c.notFound();
    c.set("route", "page");
    const page = await pageFile(options.page, c.req.path);
    const login = await loginByLink(gatekeeper, c, options.page === null ? null : page);
    return login ?? page ?? c.notFound();
  });
  app.notFound((c) => responseOf(problem(noRoute(app.routes, c.req.method, c.req.path))));
  app.onError((error, c) => {
    // Node reports a client that disconnects as an error of its body; there is no client to answer.
    if (c.req.raw.signal.aborted && statusOf(error) === null)
      return new Response(null, { status: clientLeft });
    return responseOf(problem(error));
  });
  return app;
}

/** Event streams, MCP tools, and calls that wait. */
function staysOpen({ path, url }: { readonly path: string; readonly url: string }): boolean {
  return path === "/mcp" || path.endsWith("/events") || new URL(url).searchParams.has("wait");
}

function isApi(path: string): boolean {
  return /^\/(v1|api|metrics|mcp)(\/|$)/.test(path);
}

/** `/v1/turns/{turn}` as the router writes it. */
function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
