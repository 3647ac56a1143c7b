/**
 * Clients whose requests stay open: event streams, MCP, and calls that wait. When their token is revoked, the stream
 * ends, and a pending answer becomes a 401.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "@reprise/store/store";
import type { EventFeed } from "./event-feed.ts";
import { notLetIn } from "./http-error.ts";

/** Events after which a client may have lost access. */
const aboutAccess = /^(token|login):/;
/** Expiry writes no event, so all are checked again after this many milliseconds. */
const usualPause = 30_000;
const batch = 500;

interface Admission {
  readonly isKnown: () => Promise<boolean>;
  readonly ending: AbortController;
}

export class Admissions {
  readonly #feed: Pick<EventFeed, "now" | "changed">;
  readonly #store: Pick<Store, "readEvents">;
  readonly #open = new Set<Admission>();
  /** Aborts when no request is open any more. */
  #none = new AbortController();

  constructor(feed: Pick<EventFeed, "now" | "changed">, store: Pick<Store, "readEvents">) {
    this.#feed = feed;
    this.#store = store;
  }

  /** How many requests are watched. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Answers as long as `isKnown` is true for the client, and ends the response when it no longer is.
   * @throws HttpError `no-token` if that happens before the response has begun.
   */
  async whileKnown(
    isKnown: () => Promise<boolean>,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    const admission = { isKnown, ending: new AbortController() };
    const { signal } = admission.ending;
    const refused = Promise.withResolvers<never>();
    refused.promise.catch(() => {});
    signal.addEventListener("abort", () => refused.reject(notLetIn(true)), { once: true });
    this.#add(admission);
    const release = () => this.#remove(admission);
    try {
      const response = await Promise.race([answer(), refused.promise]);
      const isStream = /^text\/event-stream\b/.test(response.headers.get("content-type") ?? "");
      if (isStream && response.body !== null)
        return new Response(response.body.pipeThrough(cutBy(signal, release)), response);
      release();
      return response;
    } catch (error) {
      release();
      throw error;
    }
  }

  #add(admission: Admission): void {
    this.#open.add(admission);
    if (this.#open.size === 1) {
      this.#none = new AbortController();
      void this.#watch(this.#none.signal);
    }
    // The token may have been revoked since it was checked.
    else void this.#check(admission);
  }

  #remove(admission: Admission): void {
    if (this.#open.delete(admission) && this.#open.size === 0) this.#none.abort();
  }

  async #watch(none: AbortSignal): Promise<void> {
    let seq = 0;
    while (!none.aborted)
      try {
        if (seq === 0) {
          seq = await this.#feed.now();
          // After the number is known: no later event is missed, and an earlier one has its effect by now.
          await this.#checkAll();
        }
        const pause = AbortSignal.timeout(usualPause);
        await this.#feed.changed(seq, AbortSignal.any([none, pause]));
        const events = await this.#store.readEvents({ after: seq, limit: batch });
        seq = events.at(-1)?.seq ?? seq;
        if (pause.aborted || events.some(({ stream }) => aboutAccess.test(stream)))
          await this.#checkAll();
      } catch {
        // The store may be readable again in a moment.
        await delay(1000, undefined, { signal: none }).catch(() => {});
      }
  }

  async #checkAll(): Promise<void> {
    await Promise.all([...this.#open].map((admission) => this.#check(admission)));
  }

  async #check({ isKnown, ending }: Admission): Promise<void> {
    if (!(await isKnown().catch(() => true))) ending.abort();
  }
}

/** Passes everything on until the signal aborts; then it ends the stream and its source. */
function cutBy(signal: AbortSignal, release: () => void) {
  const through = {
    start(controller: { terminate(): void }) {
      signal.addEventListener("abort", () => {
        controller.terminate();
        release();
      });
    },
    flush: release,
    cancel: release,
  };
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>(through);
}
