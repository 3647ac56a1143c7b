/** Logs a browser in: exchanges a token for a cookie that only this server's own pages send. */

import { parse } from "@reprise/core/api/parse";
import { z } from "zod";
import { readBody, readJson } from "./body.ts";
import type { Gatekeeper } from "./gatekeeper.ts";
import { HttpError } from "./http-error.ts";
import type { ServerContext } from "./parts.ts";

export const loginSchema = z.strictObject({ token: z.string().min(1) });

/** Every client may send it, so it is short. */
const maxLogin = 4096;

export async function answerLogin(gatekeeper: Gatekeeper, c: ServerContext): Promise<Response> {
  c.set("route", "login");
  const bytes = await readBody(c.req.raw, maxLogin);
  const body = readJson(bytes, c.req.header("content-type") ?? null);
  const { token } = parse(loginSchema, body);
  const cookie = await gatekeeper.login(token);
  if (cookie instanceof HttpError) throw cookie;
  return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
}

export async function answerLogout(gatekeeper: Gatekeeper, c: ServerContext): Promise<Response> {
  c.set("route", "logout");
  const cookie = await gatekeeper.logout(c.req.header("cookie") ?? "");
  return new Response(null, { status: 204, headers: { "set-cookie": cookie } });
}

/**
 * Handles `/?token=…`, the link that is printed at the start, and redirects so that the token does not stay in the
 * address. For a token that is not valid it returns `page`, which sees the token in the address and asks for another.
 */
export async function loginByLink(
  gatekeeper: Gatekeeper,
  c: ServerContext,
  page: Response | null,
): Promise<Response | null> {
  const url = new URL(c.req.url);
  const token = url.searchParams.get("token");
  if (token === null) return null;
  const cookie = await gatekeeper.login(token);
  if (cookie instanceof HttpError) return refused(c, page, cookie);
  url.searchParams.delete("token");
  // A path that begins with two slashes would redirect to another server.
  const location = `${url.pathname.replace(/^\/+/, "/")}${url.search}`;
  return new Response(null, {
    status: 303,
    headers: { location, "set-cookie": cookie },
  });
}

function refused(c: ServerContext, page: Response | null, error: HttpError): Response {
  const { status, headers } = error;
  if (page === null || !c.req.header("accept")?.includes("text/html")) throw error;
  for (const [name, text] of Object.entries(headers)) page.headers.set(name, text);
  return new Response(page.body, { status, headers: page.headers });
}
