/**
 * Calls with an `Idempotency-Key`: for a day, the same call is done once and gets the same answer. A repeated call
 * waits for one in flight. If the process of a call died, the store knows which turn or run it started.
 */

import { recordingFailure } from "@reprise/engine/hosts";
import type { Call, CallId } from "@reprise/store/contract/calls";
import type { Store } from "@reprise/store/store";
import type { AcceptedCall, RouteResponse, Task } from "./answer.ts";
import { HttpError } from "./http-error.ts";

const day = 24 * 60 * 60 * 1000;
const maxKey = 255;

export interface OnceOnly extends CallId {
  /** Digest of what is asked. */
  readonly fingerprint: string;
  /** Id for the turn or run that it starts. */
  readonly subject: string | null;
  /** The call is safe to repeat, so it is made even when the store cannot record it. */
  readonly harmless: boolean;
  begin(subject: string | null): Task;
  /** Continues what an earlier process started, if it exists. */
  again(subject: string | null): Promise<Task>;
  /** The answer for an error. */
  problem(error: unknown): RouteResponse;
}

export interface CallsOptions {
  readonly store: Pick<Store, "beginCall" | "acceptCall" | "settleCall" | "dropCall">;
  readonly now: () => number;
}

export class Calls {
  readonly #store: CallsOptions["store"];
  readonly #now: () => number;
  readonly #here = new Map<string, { fingerprint: string; task: Task }>();

  constructor({ store, now }: CallsOptions) {
    this.#store = store;
    this.#now = now;
  }

  /** @throws HttpError `other-call` when the key was used for another call. */
  once(call: OnceOnly): Task {
    const name = JSON.stringify([call.token, call.key]);
    const here = this.#here.get(name);
    if (here) {
      if (here.fingerprint !== call.fingerprint) throw otherCall();
      return here.task;
    }
    const accepted = Promise.withResolvers<AcceptedCall>();
    const done = this.#do(call, accepted.resolve)
      .catch((error) => call.problem(error))
      .finally(() => this.#here.delete(name));
    const task = { accepted: accepted.promise, done };
    this.#here.set(name, { fingerprint: call.fingerprint, task });
    return task;
  }

  async #do(call: OnceOnly, accept: (about: AcceptedCall) => void): Promise<RouteResponse> {
    const { token, key, fingerprint, subject } = call;
    const at = this.#now();
    const begin = { token, key, fingerprint, subject, at, forgetBefore: at - day };
    const noted = await this.#store.beginCall(begin).catch((error) => {
      if (call.harmless && recordingFailure(error)) return null;
      throw error;
    });
    if (noted === null) return call.begin(subject).done;
    const { begun, call: known } = noted;
    if (known.fingerprint !== fingerprint) throw otherCall();
    if (known.answer) return repeated(known.answer);
    const task = begun ? call.begin(subject) : await call.again(known.subject);
    let isNew = begun;
    task.accepted.then((about) => {
      isNew = false;
      return this.#note(known, about.subject).finally(() => accept(about));
    });
    const answer = await task.done;
    // The work is done, so the client gets its answer even if it could not be kept for a repeated call.
    await this.#keep({ token, key }, answer, { ...call, isNew }).catch((error) => {
      if (!recordingFailure(error)) throw error;
    });
    return answer;
  }

  /** Needed only by a call that is repeated after a crash, so a failure does not matter. */
  async #note({ token, key, subject }: Call, about: string): Promise<void> {
    if (about !== subject)
      await this.#store.acceptCall({ token, key, subject: about }).catch(() => {});
  }

  /**
   * An answer that may be different next time is not kept, nor one that is not final, nor a secret, in whose place a
   * repeated call gets an error. A call that has started work stays recorded, or the work would be started again.
   */
  async #keep(
    id: CallId,
    given: RouteResponse,
    { isNew, problem }: Pick<OnceOnly, "problem"> & { isNew: boolean },
  ): Promise<void> {
    if (given.passing) return;
    const { status, body, session } = given.shownOnce ? problem(shownBefore()) : given;
    if (status >= 500) return isNew ? this.#store.dropCall(id) : undefined;
    await this.#store.settleCall({ ...id, status, body: body ?? "", session });
  }
}

export function checkKey(key: string): void {
  if (key.length <= maxKey && /^[\x21-\x7e]+$/.test(key)) return;
  throw new HttpError(
    400,
    "bad-idempotency-key",
    "The Idempotency-Key is not valid.",
    `Use 1 to ${maxKey} visible ASCII characters, such as a UUID.`,
  );
}

function repeated({ status, body }: { status: number; body: string }): RouteResponse {
  return {
    status,
    body: body === "" ? null : body,
    headers: { "idempotency-replayed": "true" },
    session: null,
    passing: true,
    shownOnce: false,
  };
}

function shownBefore(): HttpError {
  return new HttpError(
    409,
    "shown-before",
    "This call was done; the token in its answer is shown only once and is not stored.",
    "If you did not get it, rotate it or revoke it.",
  );
}

function otherCall(): HttpError {
  return new HttpError(
    422,
    "other-call",
    "This Idempotency-Key was used for another call.",
    "Choose a new key for every call; nothing was changed.",
  );
}
