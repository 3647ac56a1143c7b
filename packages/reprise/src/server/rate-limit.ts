/** The rate limit: one bucket per token that fills steadily and loses one for every request. */

import { HttpError } from "./http-error.ts";

/** A client may send the requests of this many seconds at once. */
const burstSeconds = 5;
/** Buckets that are full again are forgotten when there are more than this. */
const maxBuckets = 1000;

interface Bucket {
  left: number;
  at: number;
}

export class RateLimit {
  readonly #perSecond: number | null;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** Null: there is no limit. */
  constructor(perSecond: number | null, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** @throws HttpError 429 `too-many-requests` with `Retry-After`. */
  take(name: string): void {
    if (this.#perSecond === null) return;
    const now = this.#now();
    const most = this.#perSecond * burstSeconds;
    const bucket = this.#buckets.get(name) ?? { left: most, at: now };
    const filled = (Math.max(0, now - bucket.at) / 1000) * this.#perSecond;
    bucket.left = Math.min(most, bucket.left + filled);
    bucket.at = now;
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > maxBuckets) this.#forgetFull(most);
    if (bucket.left < 1) throw tooMany(Math.ceil((1 - bucket.left) / this.#perSecond));
    bucket.left -= 1;
  }

  #forgetFull(most: number): void {
    for (const [name, { left }] of this.#buckets) if (left >= most - 1) this.#buckets.delete(name);
  }
}

function tooMany(seconds: number): HttpError {
  return new HttpError(
    429,
    "too-many-requests",
    "This token sends more requests than the server allows.",
    `Try again in ${seconds} s. The setting rateLimit is the maximum per second and token.`,
    { "retry-after": String(seconds) },
  );
}
