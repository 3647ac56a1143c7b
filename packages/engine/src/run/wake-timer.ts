/** Waits until a run's owner is woken, a time has come, or it should poll for changes by other processes. */

import type { Engine } from "../engine.ts";

/** A poll reads one row; the more runs a process drives, the less often each one polls. */
const minPollInterval = 100;
const maxTimer = 2 ** 31 - 1;
let timers = 0;

export class WakeTimer {
  readonly #now: () => number;
  #resolve: (() => void) | null = null;
  #woken = false;
  #polls = false;
  #timer: NodeJS.Timeout | null = null;

  constructor({ now }: Pick<Engine, "now">) {
    this.#now = now;
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
    this.#timer ??= setInterval(() => this.poll(), Math.max(minPollInterval, timers));
    if (!this.#woken && !this.#polls) await this.#pause(until);
    const polls = this.#polls;
    this.#woken = false;
    this.#polls = false;
    return polls ? "poll" : "woken";
  }

  end(): void {
    timers -= 1;
    if (this.#timer) clearInterval(this.#timer);
  }

  async #pause(until: number | null): Promise<void> {
    const timer =
      until === null
        ? undefined
        : setTimeout(() => this.wake(), Math.min(Math.max(until - this.#now(), 0), maxTimer));
    await new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    this.#resolve = null;
    clearTimeout(timer);
  }
}
