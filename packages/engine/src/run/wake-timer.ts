/** The pause of a carrier: until it is woken, a time has come, or it should look what others did. */

import type { Engine } from "../engine.ts";

/** A look reads one row; the more runs a process carries, the more seldom each one looks. */
const minPause = 100;
const maxTimer = 2 ** 31 - 1;
let resting = 0;

export class WakeTimer {
  readonly #now: () => number;
  #resolve: (() => void) | null = null;
  #woken = false;
  #looks = false;
  #timer: NodeJS.Timeout | null = null;

  constructor({ now }: Pick<Engine, "now">) {
    this.#now = now;
    resting += 1;
  }

  wake(): void {
    this.#woken = true;
    this.#resolve?.();
  }

  look(): void {
    this.#looks = true;
    this.#resolve?.();
  }

  /** Why it is over: `look` when others may have written something. */
  async until(until: number | null): Promise<"woken" | "look"> {
    this.#timer ??= setInterval(() => this.look(), Math.max(minPause, resting));
    if (!this.#woken && !this.#looks) await this.#pause(until);
    const looks = this.#looks;
    this.#woken = false;
    this.#looks = false;
    return looks ? "look" : "woken";
  }

  end(): void {
    resting -= 1;
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
