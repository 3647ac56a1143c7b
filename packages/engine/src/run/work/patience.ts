/**
 * Waiting for another thread without going to sleep, since being woken takes longer than most answers
 * do. Where nothing came in that time, it is likely that both share a processor, or that there is more
 * to do: then nobody waits like that for a while.
 */

const spells = 16;

export class Patience {
  readonly #milliseconds: number;
  /** How many times more it does not wait. */
  #rests = 0;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Whether it has come about meanwhile. */
  for(condition: () => boolean): boolean {
    if (this.#rests > 0) {
      this.#rests -= 1;
      return condition();
    }
    const until = performance.now() + this.#milliseconds;
    while (performance.now() < until) if (condition()) return true;
    this.#rests = spells;
    return false;
  }
}
