/**
 * A call whose work goes on when its caller leaves: sent with a key of ours, so that it can be sent again
 * whatever happens to the connection, until the server has its last word.
 */

import type { Address } from "./address.ts";
import { type Answer, type Connection, idempotent } from "./connection.ts";
import { notReprise } from "./problem.ts";

/** Seconds for which the server may keep a request open. */
const longestWait = 55;

export interface LongOptions {
  /** Aborting cancels the work. */
  readonly signal?: AbortSignal | undefined;
  /** Aborting stops waiting; the work goes on. */
  readonly leave?: AbortSignal | undefined;
  /** Called once, with the id of what the work is about, when that is written. */
  readonly onAccepted?: ((subject: string) => void) | undefined;
}

export interface Long<Result> {
  readonly address: Address;
  cancel(subject: string): Promise<unknown>;
  /** What there is to see of it while it goes on. */
  show(subject: string): Promise<Result>;
  subjectOf(result: Result): string;
}

export async function callLong<Result>(
  connection: Connection,
  long: Long<Result>,
  { signal, leave, onAccepted }: LongOptions,
): Promise<Result> {
  const once = idempotent();
  const { path, body } = long.address;
  const post = (seconds: number, waiting?: AbortSignal): Promise<Answer> =>
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
  let subject: string | null = null;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const cancel = () => {
    if (subject !== null) long.cancel(subject).catch(failed.reject);
  };
  try {
    while (answer.status === 202) {
      if (subject === null) {
        subject = acceptedBy(answer);
        onAccepted?.(subject);
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel, { once: true });
      }
      if (leave?.aborted) return await long.show(subject);
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
  if (subject === null) onAccepted?.(long.subjectOf(result));
  return result;
}

function acceptedBy(answer: Answer): string {
  const { accepted } = answer.json<{ accepted?: unknown }>();
  if (typeof accepted === "string") return accepted;
  throw notReprise("took the work on, and did not say under which name");
}
