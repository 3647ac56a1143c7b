/** `connect`: the interface `Reprise` over HTTP, in Node and in browsers, made from the table of routes. */

import { checkedReprise } from "@reprise/core/api/checked-reprise";
import { checkOptions, type OptionKinds } from "@reprise/core/api/options";
import type { Reprise } from "@reprise/core/api/reprise";
import { type Route, routes } from "@reprise/core/api/routes";
import { readinessSchema } from "@reprise/core/api/schemas";
import { UsageError } from "@reprise/core/errors/errors";
import { addressOf } from "./address.ts";
import { exportBundle, importBundle } from "./bundle.ts";
import { Connection, type ConnectOptions, idempotent } from "./connection.ts";
import { streamEvents } from "./event-stream.ts";
import { type LongCallOptions, longCall } from "./long-calls.ts";
import { notReprise } from "./problem.ts";

const known: OptionKinds<ConnectOptions> = {
  token: "string",
  fetch: "function",
  patience: "number",
};

/**
 * Connects to the server of a home. Nearly all methods work as they do in the library; `sessions.open` and
 * `runs.recover` need the server's own process.
 * @throws UsageError `bad-url` or `bad-option`, RetryableError `unreachable` when nothing answers at the address,
 * RepriseError `not-reprise` when something else does.
 * @example
 * import { connect } from "reprise/client";
 *
 * const reprise = await connect("http://127.0.0.1:7777", { token: process.env.REPRISE_TOKEN });
 * const turn = reprise.session("fix-42", { agent: "coder" }).send("Fix the parser.");
 * for await (const step of turn) console.log(step.type);
 * await reprise.close();
 */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Reprise> {
  checkOptions("connect", options, known);
  const connection = new Connection(url, options);
  const health = await connection.askOnce({ method: "GET", path: "/v1/health" });
  if (typeof health.json<{ version?: unknown } | null>()?.version !== "string")
    throw notReprise("does not say which version of Reprise it is");
  return repriseOver(connection);
}

/** `Reprise` over a connection that is not checked first, such as that of a page to its own server. */
export function repriseOver(connection: Connection): Reprise {
  // The table has all methods except those that are added here.
  const reprise = Object.assign(
    methods(connection, () => reprise),
    {
      events: ({ after = 0, signal } = {}) =>
        streamEvents(connection, { path: "/v1/events", after, signal }),
      async ready() {
        const asking = { method: "GET", path: "/v1/ready", accepts: 503 };
        return readinessSchema().parse((await connection.ask(asking)).json());
      },
      async close() {
        connection.close();
      },
    } satisfies Partial<Reprise>,
  ) as Reprise;
  Object.assign(reprise.sessions, {
    export: (session) => exportBundle(connection, session),
    import: (session) => importBundle(connection, session),
    open: () => onlyThere("sessions.open", "it needs a terminal on the server's machine"),
  } satisfies Partial<Reprise["sessions"]>);
  Object.assign(reprise.runs, {
    events: (run, { after = 0, follow = true, signal } = {}) =>
      streamEvents(connection, {
        path: addressOf({ method: "GET", path: "/v1/runs/{run}/events" }, { run }).path,
        query: { follow: String(follow) },
        after,
        signal,
      }),
    recover: () => onlyThere("runs.recover", "the server does it when it starts"),
  } satisfies Partial<Reprise["runs"]>);
  return checkedReprise(reprise);
}

type Method = (...args: never[]) => Promise<unknown>;

/** `sessions.send` is the method `send` of `sessions`. */
function methods(connection: Connection, reprise: () => Reprise): Partial<Reprise> {
  const made: Record<string, Method | Record<string, Method>> = {};
  for (const route of routes) {
    const [group, name] = route.name.split(".") as [string, string?];
    const method = route.long ? longMethod(connection, route, reprise) : ask(connection, route);
    if (name === undefined) made[group] = method;
    else made[group] = { ...(made[group] as object), [name]: method };
  }
  return made as Partial<Reprise>;
}

function ask(connection: Connection, route: Route): Method {
  return async (...args) => {
    const { path, query, body } = addressOf(route, route.ask(...args));
    const asking = {
      method: route.method,
      path,
      query,
      ...(body && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...idempotent() },
      }),
    };
    // A repeated DELETE fails, so only the caller may repeat it.
    const answer = await (route.method === "DELETE"
      ? connection.askOnce(asking)
      : connection.ask(asking));
    return route.output === null ? undefined : outputOf(route, answer.json());
  };
}

function longMethod(connection: Connection, route: Route, reprise: () => Reprise): Method {
  return async (...[input, options]: [object?, LongCallOptions?]) => {
    const asked = route.ask(input as never);
    const result = await longCall(
      { connection, reprise: reprise(), route, input: asked },
      options ?? {},
    );
    return outputOf(route, result);
  };
}

/** As in the library, without the aliases that the server adds. A newer server may have further fields. */
function outputOf({ output }: Route, value: unknown): unknown {
  const parsed = output?.().safeParse(value);
  return parsed?.success ? parsed.data : value;
}

async function onlyThere(method: string, why: string): Promise<never> {
  throw new UsageError(
    "not-over-http",
    `${method}() does not work over a connection: ${why}.`,
    "Call it on the server's machine, after openReprise().",
  );
}
