/** Answers every route of the table: checks its input, calls its method and returns the result. */

import { isAllowed, type Role } from "@reprise/core/api/role";
import { type CallOptions, type Route, routes } from "@reprise/core/api/routes";
import { shownTo } from "@reprise/core/api/shown-to";
import { NotFoundError } from "@reprise/core/errors/errors";
import { newId } from "@reprise/engine/engine";
import { withAliases } from "./aliases.ts";
import {
  type AcceptedCall,
  accepted,
  answer,
  type RouteResponse,
  responseOf,
  type Task,
} from "./answer.ts";
import { bodyLimit, readBody, readJson } from "./body.ts";
import { requireRole } from "./gatekeeper.ts";
import { checkPath, type Input, inputOf } from "./input.ts";
import type { Parts, ServerContext } from "./parts.ts";
import { answerPost } from "./repeatable.ts";

type Values = Input["values"];

export function routeNamed(name: string): Route {
  const route = routes.find((each) => each.name === name);
  if (route) return route;
  throw new Error(`There is no route ${name}.`);
}

/** `convert` turns the body of an alias into one of the route. */
export async function answerRoute(
  parts: Parts,
  c: ServerContext,
  route: Route,
  convert: (body: Values, path: Values) => Promise<Values> = async (body) => body,
): Promise<Response> {
  c.set("route", route.name);
  const caller = c.get("caller");
  requireRole(caller, route.role);
  const path = c.req.param();
  checkPath(path);
  const query = new URL(c.req.url).searchParams;
  if (route.method !== "POST") {
    const { values, wait } = inputOf(route, { path, query, body: {} }, caller);
    const asked = { route, values, role: caller.role };
    return responseOf(await answerLook(parts, asked, wait ?? 0));
  }
  const bytes = await readBody(c.req.raw, bodyLimit(caller));
  const body = await convert(readJson(bytes, c.req.header("content-type") ?? null), path);
  const { values, wait } = inputOf(route, { path, query, body }, caller);
  const asked = { route, values, role: caller.role };
  return answerPost(parts, c, {
    body: withoutPassphrase(values, bytes),
    subject: route.long?.chosen ? idIn(values) : null,
    wait: route.long ? wait : null,
    harmless: route.name === "turns.cancel" || route.name === "runs.cancel",
    placeOf: (subject) => placeOf(route, subject),
    begin: (subject) => begin(parts, asked, subject),
    again: (subject) => again(parts, asked, subject),
  });
}

/** The body that identifies a repeated call. A passphrase is left out: it could be guessed from the digest. */
function withoutPassphrase({ passphrase, ...values }: Values, bytes: Uint8Array): Uint8Array {
  return passphrase == null ? bytes : Buffer.from(JSON.stringify(values));
}

function idIn({ id }: Values): string {
  return typeof id === "string" ? id : newId();
}

/** Answers a GET, or a DELETE, which is as short. */
async function answerLook(parts: Parts, asked: Asked, wait: number): Promise<RouteResponse> {
  const { route, values } = asked;
  return parts.work.do(async (leave) => {
    const patience = AbortSignal.any([leave, AbortSignal.timeout(wait * 1000)]);
    const found = route.rests
      ? await untilItRests(parts, route, values, wait > 0 ? patience : AbortSignal.abort())
      : await call(parts, route, values, {});
    return answerOf(asked, found);
  });
}

/** Reads again after every event, until the work has ended or waits, or `signal` aborts. */
async function untilItRests(
  { reprise, feed }: Parts,
  route: Route,
  values: Values,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    const seq = signal.aborted ? 0 : await feed.now();
    const found = await route.call(reprise, values as never, {});
    if (signal.aborted || route.rests?.(found as never)) return found;
    await feed.changed(seq, signal);
  }
}

/** One call, as it was received. */
interface Asked {
  readonly route: Route;
  readonly values: Values;
  /** What the client may do and see. */
  readonly role: Role;
}

function begin(parts: Parts, asked: Asked, subject: string | null): Task {
  const { route, values, role } = asked;
  const taken = Promise.withResolvers<AcceptedCall>();
  let about: AcceptedCall | null = null;
  const onAccepted = (id: string, given?: boolean) => {
    about = { subject: id, given };
    taken.resolve(about);
  };
  const id = subject === null ? {} : { id: subject };
  const work = async (leave: AbortSignal): Promise<RouteResponse> => {
    // Only an operator may start programs.
    const mayRun = isAllowed(role, "operator");
    const options = route.long ? { leave, onAccepted, ...id } : { mayRun };
    const result = await call(parts, route, values, options);
    const left = leave.aborted && !isAtRest(route, result) ? about : null;
    return left === null ? answerOf(asked, result) : accepted(placeOf(route, left.subject), left);
  };
  return { accepted: taken.promise, done: parts.work.do(work).catch(parts.problem) };
}

/** Waits for work that an ended process had started, or starts it if it never was. */
async function again(parts: Parts, asked: Asked, subject: string | null): Promise<Task> {
  const { route } = asked;
  const shown = route.long && routeNamed(route.long.shownBy);
  // The result cannot be shown by another route, so the call is made again; it accepts the same answer twice.
  if (subject === null || !shown || shown.output !== route.output) return begin(parts, asked, null);
  const look = { [nameIn(shown.path)]: subject };
  const isBegun = await call(parts, shown, look, {}).then(
    // Work that was never started is started now, under the same id.
    (found) => !route.long?.unstarted?.(found as never),
    (error) => {
      if (error instanceof NotFoundError) return false;
      throw error;
    },
  );
  if (!isBegun) return begin(parts, asked, route.long?.chosen ? subject : null);
  const work = async (leave: AbortSignal): Promise<RouteResponse> => {
    const found = await untilItRests(parts, shown, look, leave);
    return isAtRest(route, found)
      ? answerOf(asked, found)
      : accepted(placeOf(route, subject), { subject });
  };
  return {
    accepted: Promise.resolve({ subject }),
    done: parts.work.do(work).catch(parts.problem),
  };
}

function call(
  { reprise }: Parts,
  route: Route,
  values: Values,
  options: CallOptions,
): Promise<unknown> {
  return route.call(reprise, values as never, options);
}

function isAtRest(route: Route, result: unknown): boolean {
  const shown = route.long && routeNamed(route.long.shownBy);
  return !shown || (shown.output === route.output && shown.rests?.(result as never) === true);
}

function answerOf({ route, values, role }: Asked, result: unknown): RouteResponse {
  if (route.output === null) return answer(204, undefined);
  return answer(200, shownTo(role, withAliases(route, result)), {
    headers: {
      ...nextPage(route, values, result),
      ...(route.shownOnce && { "cache-control": "no-store" }),
    },
    shownOnce: route.shownOnce,
    session: sessionIn(values) ?? sessionIn((result as { session?: unknown } | null)?.session),
  });
}

function sessionIn(value: unknown): string | null {
  const key = (value as { key?: unknown } | null | undefined)?.key;
  return typeof key === "string" ? key : null;
}

function nextPage({ page, path }: Route, values: Values, result: unknown): Record<string, string> {
  if (page === null || !Array.isArray(result)) return {};
  const limit = typeof values.limit === "number" ? values.limit : page.limit;
  if (result.length < limit) return {};
  const inPath = nameIn(path);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...values, limit }))
    if (value !== undefined && name !== inPath) query.set(name, String(value));
  query.set("after", page.cursor(result.at(-1) as never));
  return { link: `<${filled(path, String(values[inPath]))}?${query}>; rel="next"` };
}

/** The path where the result of long work can be found later. */
export function placeOf(route: Route, subject: string): string {
  const { path } = routeNamed(route.long?.shownBy ?? route.name);
  return filled(path, subject);
}

/** The path with its one parameter filled in. */
function filled(path: string, name: string): string {
  return path.replace(/\{\w+\}/, encodeURIComponent(name));
}

function nameIn(path: string): string {
  return /\{(\w+)\}/.exec(path)?.[1] ?? "";
}
