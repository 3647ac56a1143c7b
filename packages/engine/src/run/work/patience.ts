/**
 * Waiting for another thread without going to sleep, since being woken takes longer than most answers
 * do. Where nothing comes in that time again and again, both may have to share a processor, or there is
 * more to do: then it is tried less and less often.
 */

const longestRest = 64;

export class Patience {
  readonly #milliseconds: number;
  readonly #now: () => number;
  /** How many times it does not wait after the next failure. */
  #rest = 1;
  #rests = 0;

  constructor(milliseconds: number, now = () => performance.now()) {
    this.#milliseconds = milliseconds;
    this.#now = now;
  }

  /** Whether it has come about meanwhile. */
  for(condition: () => boolean): boolean {
    if (this.#rests > 0) {
      this.#rests -= 1;
      return condition();
    }
    const until = this.#now() + this.#milliseconds;
    do {
      if (condition()) {
        this.#rest = 1;
        return true;
      }
    } while (this.#now() < until);
    this.#rests = this.#rest;
    this.#rest = Math.min(2 * this.#rest, longestRest);
    return false;
  }
}
