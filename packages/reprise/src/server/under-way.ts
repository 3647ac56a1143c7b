/**
 * The work that this process does for its callers. It goes on when a caller leaves; when the server is
 * to stop, all of it is let go at once: runs and turns are left to whoever comes next, and their agents
 * work on.
 */

import { stopping } from "./http-error.ts";

export class UnderWay {
  readonly #leaving = new AbortController();
  readonly #work = new Set<Promise<unknown>>();

  /** Aborts when all work is to be let go. */
  get left(): AbortSignal {
    return this.#leaving.signal;
  }

  get size(): number {
    return this.#work.size;
  }

  /** @throws HttpError `stopping` when nothing is begun any more. */
  async do<Result>(work: (leave: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.left.aborted) throw stopping();
    const doing = work(this.left);
    this.#work.add(doing);
    try {
      return await doing;
    } finally {
      this.#work.delete(doing);
    }
  }

  /** Lets go of everything, and waits until nothing is under way. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}
