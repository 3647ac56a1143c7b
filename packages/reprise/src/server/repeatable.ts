/** Answers a POST. With an `Idempotency-Key` the work is done once, however often it is sent. */

import { sha256 } from "@reprise/engine/engine";
import { answerWithin, type RouteResponse, responseOf, type Task } from "./answer.ts";
import { checkKey } from "./calls.ts";
import type { Parts, ServerContext } from "./parts.ts";

export interface Post {
  readonly body: Uint8Array;
  /** Id for the turn or run that it starts, if it can be chosen. */
  readonly subject: string | null;
  /** Seconds to wait for the end of the work; null: until it ends. */
  readonly wait: number | null;
  /** See `OnceOnly`. */
  readonly harmless?: boolean;
  placeOf(subject: string): string;
  begin(subject: string | null): Task;
  again(subject: string | null): Promise<Task>;
}

export async function answerPost(parts: Parts, c: ServerContext, post: Post): Promise<Response> {
  const key = c.req.header("idempotency-key");
  const task = key === undefined ? post.begin(post.subject) : once(parts, c, key, post);
  return responseOf(await answerWithin(task, post.wait, post.placeOf));
}

function once({ calls, problem }: Parts, c: ServerContext, key: string, post: Post): Task {
  checkKey(key);
  const query = new URL(c.req.url).searchParams;
  // The time that a client waits does not make it another call.
  query.delete("wait");
  query.sort();
  const asked = `${c.req.method} ${c.req.path}?${query}\n`;
  const fingerprint = sha256(Buffer.concat([Buffer.from(asked), post.body]));
  const { id: token } = c.get("caller");
  return calls.once({ harmless: false, ...post, token, key, fingerprint, problem });
}

/** A task that does one short thing. */
export function shortTask(parts: Parts, work: () => Promise<RouteResponse>): Task {
  return {
    accepted: Promise.withResolvers<never>().promise,
    done: parts.work.do(work).catch(parts.problem),
  };
}
