/**
 * `POST /v1/hooks/{id}`: answers an inbox item with a message that is signed with the secret of an incoming
 * webhook, so that a chat can approve. It needs no token.
 */

import { parse } from "@reprise/core/api/parse";
import { answerItemSchema } from "@reprise/core/api/run-schemas";
import type { Store } from "@reprise/store/store";
import { type AcceptedCall, answer, answerWithin, responseOf } from "../answer.ts";
import { readBody, readJson } from "../body.ts";
import { HttpError } from "../http-error.ts";
import { checkPath } from "../input.ts";
import type { Parts, ServerContext } from "../parts.ts";
import { isSigned, signatureHeader, timestampHeader } from "./signature.ts";

/** Every client may send one, and it is read before its signature is checked. */
const longest = 1024 * 1024;

export const hooksPath = "/v1/hooks/{id}";
/** Without `by`, the name of the webhook is recorded. */
export const hookSchema = answerItemSchema().partial({ by: true });

export function isHook(path: string): boolean {
  return /^\/v1\/hooks\/[^/]+$/.test(path);
}

export async function answerHook(
  { reprise, work, problem }: Parts,
  c: ServerContext,
  { store, now }: { store: Pick<Store, "readWebhook">; now: () => number },
): Promise<Response> {
  c.set("route", "hooks");
  const path = c.req.param();
  checkPath(path);
  const id = path.id ?? "";
  const body = await readBody(c.req.raw, longest);
  const hook = await store.readWebhook(id);
  const timestamp = c.req.header(timestampHeader) ?? "";
  const signature = c.req.header(signatureHeader) ?? "";
  const message = { timestamp, signature, body, now: now() };
  if (hook?.direction !== "incoming" || !isSigned(hook.secret, message)) throw notSigned();
  const values = readJson(body, c.req.header("content-type") ?? null);
  const { by = `webhook:${id}`, ...input } = parse(hookSchema, values);
  const answered = Promise.withResolvers<AcceptedCall>();
  const done = work
    .do(async (leave) => {
      const onAnswered = (subject: string, given: boolean) => answered.resolve({ subject, given });
      const options = { leave, onAnswered };
      return answer(200, await reprise.inbox.answer({ ...input, by }, options));
    })
    .catch(problem);
  // The work that waited continues here; the sender need not wait for it.
  const task = { accepted: answered.promise, done };
  return responseOf(await answerWithin(task, 0, (item) => `/v1/inbox/${item}`));
}

/** The same answer for an unknown webhook, so that its existence is not revealed. */
function notSigned(): HttpError {
  return new HttpError(
    401,
    "not-signed",
    "There is no such webhook, or the message is not signed with its secret, or too old.",
    `Send ${timestampHeader} and ${signatureHeader} as docs/server.md describes; nothing was changed.`,
  );
}
