/** A timer of any length. `setTimeout` fires at once for more than 24 days, so a longer wait is made of several. */

const longest = 2 ** 31 - 1;

/** Calls `done` after that many milliseconds, also more than a timer can count; returns what stops it. */
export function startTimer(milliseconds: number, done: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    const next = Math.min(Math.max(left, 0), longest);
    timer = setTimeout(() => (left > next ? wait(left - next) : done()), next);
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}
