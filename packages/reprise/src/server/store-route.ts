/**
 * Answers the verbs of the store that commands use through the server. They need the home's own token: on a home with
 * a database of its own, a process that can read the token can open the database as well.
 */

import { DeniedError, NotFoundError } from "@reprise/core/errors/errors";
import type { Context } from "hono";
import { readBody, readJson } from "./body.ts";
import type { ServerEnv } from "./parts.ts";
import { type ServedStore, servedVerbs } from "./served-store.ts";

/** More than any argument of these verbs. */
const limit = 1024 * 1024;

export async function answerStore(store: ServedStore, c: Context<ServerEnv>): Promise<Response> {
  c.set("route", "own.store");
  const { owner, name } = c.get("caller");
  if (!owner)
    throw new DeniedError(
      "role",
      `This needs the home's own token, and ${name} has another one.`,
      "Run the command on the machine of the server; nothing was changed.",
    );
  const wanted = c.req.param("verb");
  const verb = servedVerbs.find((each) => each === wanted);
  if (verb === undefined)
    throw new NotFoundError("no-route", "The server has no such verb.", "Update the server.");
  const body = readJson(await readBody(c.req.raw, limit), c.req.header("content-type") ?? null);
  const act = store[verb] as (argument: unknown) => Promise<unknown>;
  return c.json({ result: (await act(body.argument)) ?? null });
}
