/**
 * A call whose work continues on the server when the client leaves. It has an idempotency key, so that it can be
 * repeated when the connection breaks, until the server has the final answer.
 */

import { cancelledBy } from "@reprise/core/session/cancel-reason";
import type { Address } from "./address.ts";
import { type Connection, idempotent, type ServerResponse } from "./connection.ts";
import { notReprise } from "./problem.ts";

/** Seconds for which the server may keep a request open. */
const maxWait = 55;

export interface LongOptions {
  /** Aborting cancels the work. */
  readonly signal?: AbortSignal | undefined;
  /** Aborting stops waiting; the work continues. */
  readonly leave?: AbortSignal | undefined;
  /** Called once, when the work is stored, with the id of its turn, run or item; for an answer, whether it is new. */
  readonly onAccepted?: ((subject: string, given: boolean) => void) | undefined;
}

/** Work that the server has stored and continues. */
export interface Accepted {
  readonly subject: string;
  /** For an inbox item: false if it already had this answer. */
  readonly given: boolean;
}

export interface Long<Result> {
  readonly address: Address;
  /** `by` is null for the name of the token. */
  cancel(subject: string, by: string | null): Promise<unknown>;
  /** Its current state. */
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
  // To cancel, leave or report the work, its id must be known first.
  let answer = await post(signal || leave || onAccepted ? 0 : maxWait);
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
        answer = await Promise.race([post(maxWait, leave), failed.promise]);
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
  throw notReprise("accepted the work without its id");
}
