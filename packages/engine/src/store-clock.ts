/**
 * This process's clock, corrected to the store's: hosts that share a database may have clocks that differ, and what
 * one of them writes as a deadline is due by the clock of the database.
 */

import type { Store } from "@reprise/store/store";

/** Milliseconds between two comparisons. */
const interval = 60_000;

/** A difference of so few milliseconds is more likely the way to the store than that of the clocks. */
const negligible = 50;

export class StoreClock {
  readonly #store: Pick<Store, "now">;
  readonly #own: () => number;
  readonly #timer: NodeJS.Timeout;
  #ahead = 0;

  static async open(store: Pick<Store, "now">, own: () => number): Promise<StoreClock> {
    const clock = new StoreClock(store, own);
    await clock.#compare();
    return clock;
  }

  private constructor(store: Pick<Store, "now">, own: () => number) {
    this.#store = store;
    this.#own = own;
    this.#timer = setInterval(() => void this.#compare().catch(() => {}), interval);
    this.#timer.unref();
  }

  readonly now = (): number => this.#own() + this.#ahead;

  close(): void {
    clearInterval(this.#timer);
  }

  async #compare(): Promise<void> {
    const before = this.#own();
    const there = await this.#store.now();
    const ahead = Math.round(there - (before + this.#own()) / 2);
    this.#ahead = Math.abs(ahead) > negligible ? ahead : 0;
  }
}
