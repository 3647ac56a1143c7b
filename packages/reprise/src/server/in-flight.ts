/**
 * The work that this process does for its clients. It continues when a client disconnects. When the server stops, it
 * releases all runs and turns at once; their agents keep working, and the next process that opens the home takes over.
 */

import { stopping } from "./http-error.ts";

export class InFlight {
  readonly #stopping = new AbortController();
  readonly #work = new Set<Promise<unknown>>();

  /** Aborts when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get size(): number {
    return this.#work.size;
  }

  /** @throws HttpError `stopping` when the server stops. */
  async do<Result>(work: (leave: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.stopping.aborted) throw stopping();
    const doing = work(this.stopping);
    this.#work.add(doing);
    try {
      return await doing;
    } finally {
      this.#work.delete(doing);
    }
  }

  /** Releases everything, and waits until no work is in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}
