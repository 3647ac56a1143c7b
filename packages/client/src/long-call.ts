/**
 * A call whose work goes on when its caller leaves: sent with a key of ours, so that it can be sent again
 * whatever happens to the connection, until the server has its last word.
 */

import { cancelledBy } from "@reprise/core/session/cancel-reason";
import type { Address } from "./address.ts";
import { type Connection, idempotent, type ServerResponse } from "./connection.ts";
import { notReprise } from "./problem.ts";

/** Seconds for which the server may keep a request open. */
const longestWait = 55;

export interface LongOptions {
  /** Aborting cancels the work. */
  readonly signal?: AbortSignal | undefined;
  /** Aborting stops waiting; the work goes on. */
  readonly leave?: AbortSignal | undefined;
  /** Called once, with the id of what the work is about, when that is written; of an answer, whether it was given now. */
  readonly onAccepted?: ((subject: string, given: boolean) => void) | undefined;
}

/** What the server has written, and goes on with. */
export interface Accepted {
  readonly subject: string;
  /** Of an answer: false when it had been given before. */
  readonly given: boolean;
}

export interface Long<Result> {
  readonly address: Address;
  /** `by` is null for whoever has the token. */
  cancel(subject: string, by: string | null): Promise<unknown>;
  /** What there is to see of it while it goes on. */
  show(accepted: Accepted): Promise<Result>;
  acceptedIn(result: Result): Accepted;
}

export async function callLong<Result>(
  connection: Connection,
  long: Long<Result>,
  { signal, leave, onAccepted }: LongOptions,
): Promise<Result> {
  const once = idempotent();
  const { path, body } = long.address;
  const post = (seconds: number, waiting?: AbortSignal): Promise<ServerResponse> =>
    connection.ask({
      method: "POST",
      path,
      query: { wait: String(seconds) },
      body: JSON.stringify(body ?? {}),
      headers: { "content-type": "application/json", ...once },
      signal: waiting,
    });
  // Whoever may want to do something about the work has to know what it is.
  let answer = await post(signal || leave || onAccepted ? 0 : longestWait);
  let accepted: Accepted | null = null;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const cancel = () => {
    if (accepted !== null) long.cancel(accepted.subject, cancelledBy(signal)).catch(failed.reject);
  };
  try {
    while (answer.status === 202) {
      if (accepted === null) {
        accepted = acceptedBy(answer);
        onAccepted?.(accepted.subject, accepted.given);
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel, { once: true });
      }
      if (leave?.aborted) return await long.show(accepted);
      try {
        answer = await Promise.race([post(longestWait, leave), failed.promise]);
      } catch (error) {
        if (!leave?.aborted) throw error;
      }
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
  const result = answer.json<Result>();
  if (accepted === null) {
    const { subject, given } = long.acceptedIn(result);
    onAccepted?.(subject, given);
  }
  return result;
}

function acceptedBy(answer: ServerResponse): Accepted {
  const { accepted, given } = answer.json<{ accepted?: unknown; given?: unknown }>();
  if (typeof accepted === "string") return { subject: accepted, given: given !== false };
  throw notReprise("took the work on, and did not say under which name");
}
