/** Waits until a run's owner is woken, a time has come, or it should poll for changes by other processes. */

import { nextChange } from "../changes.ts";
import type { Engine } from "../engine.ts";

/**
 * A run polls only after something was committed. A poll reads one row; the more runs a process drives, the less
 * often each one polls.
 */
const minPollInterval = 100;
const maxTimer = 2 ** 31 - 1;
let timers = 0;

export class WakeTimer {
  readonly #engine: Pick<Engine, "now" | "store">;
  readonly #ended = new AbortController();
  #resolve: (() => void) | null = null;
  #woken = false;
  #polls = false;
  #follows = false;

  constructor(engine: Pick<Engine, "now" | "store">) {
    this.#engine = engine;
    timers += 1;
  }

  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  poll(): void {
    this.#polls = true;
    this.#resolve?.();
  }

  /** Returns `poll` if other processes may have written something. */
  async until(until: number | null): Promise<"woken" | "poll"> {
    if (!this.#follows) this.#follow().catch(() => {});
    this.#follows = true;
    if (!this.#woken && !this.#polls) await this.#pause(until);
    const polls = this.#polls;
    this.#woken = false;
    this.#polls = false;
    return polls ? "poll" : "woken";
  }

  end(): void {
    timers -= 1;
    this.#ended.abort();
  }

  /** Polls after commits, and never before the first interval is over: most steps end sooner. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    for (let mark = 0; !signal.aborted; ) {
      const atLeast = Math.max(minPollInterval, timers);
      mark = await nextChange(this.#engine.store, mark, { atLeast, signal });
      if (!signal.aborted) this.poll();
    }
  }

  async #pause(until: number | null): Promise<void> {
    const timer =
      until === null
        ? undefined
        : setTimeout(
            () => this.wake(),
            Math.min(Math.max(until - this.#engine.now(), 0), maxTimer),
          );
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    this.#resolve = null;
    clearTimeout(timer);
  }
}
