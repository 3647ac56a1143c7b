/**
 * Calls with an `Idempotency-Key`: the same call gets the same answer for a day, and is done once. One
 * that is under way is waited for. Of one whose process died the store knows what it was about.
 */

import { recordingFailure } from "@reprise/engine/unrecorded";
import type { Call, CallId, Store } from "@reprise/store/store";
import type { AcceptedCall, RouteResponse, Task } from "./answer.ts";
import { HttpError } from "./http-error.ts";

const day = 24 * 60 * 60 * 1000;
const longestKey = 255;

export interface OnceOnly extends CallId {
  /** Digest of what is asked. */
  readonly fingerprint: string;
  /** Id that what it begins will have. */
  readonly subject: string | null;
  /** Doing it twice is as good as once: it is done although the store cannot note the call. */
  readonly harmless: boolean;
  begin(subject: string | null): Task;
  /** Goes on with what an earlier process began, if that is there. */
  again(subject: string | null): Promise<Task>;
  /** Of whatever goes wrong in between. */
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

  /** @throws HttpError `other-call` when the key stands for something else. */
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
    // What was done is told, although the next caller with this key has to look for it.
    await this.#keep({ token, key }, answer, isNew).catch((error) => {
      if (!recordingFailure(error)) throw error;
    });
    return answer;
  }

  /** Without it only whoever repeats the call after a crash would not find what it was about. */
  async #note({ token, key, subject }: Call, about: string): Promise<void> {
    if (about !== subject)
      await this.#store.acceptCall({ token, key, subject: about }).catch(() => {});
  }

  /**
   * What may go better another time is not kept, nor what is not the last word. A call that has begun
   * something stays known by that, or it would be begun once more.
   */
  async #keep(
    id: CallId,
    { status, body, session, passing }: RouteResponse,
    isNew: boolean,
  ): Promise<void> {
    if (passing) return;
    if (status >= 500) return isNew ? this.#store.dropCall(id) : undefined;
    await this.#store.settleCall({ ...id, status, body: body ?? "", session });
  }
}

export function checkKey(key: string): void {
  if (key.length <= longestKey && /^[\x21-\x7e]+$/.test(key)) return;
  throw new HttpError(
    400,
    "bad-idempotency-key",
    "The Idempotency-Key can not be used.",
    `Use 1 to ${longestKey} visible ASCII characters, such as a UUID.`,
  );
}

function repeated({ status, body }: { status: number; body: string }): RouteResponse {
  return {
    status,
    body: body === "" ? null : body,
    headers: { "idempotency-replayed": "true" },
    session: null,
    passing: true,
  };
}

function otherCall(): HttpError {
  return new HttpError(
    422,
    "other-call",
    "This Idempotency-Key was used for another call.",
    "Choose a new key for every call; nothing was changed.",
  );
}
