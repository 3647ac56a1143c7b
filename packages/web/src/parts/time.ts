/** Times in words: how long something took, how long ago it was. */

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `340 ms`, `12 s`, `3 min`, `2 h`, `5 d`. */
export function duration(milliseconds: number): string {
  for (const [unit, size] of units)
    if (milliseconds >= size) return `${Math.floor(milliseconds / size)} ${unit}`;
  return `${Math.max(0, Math.round(milliseconds))} ms`;
}

export function ago(at: number, now: number): string {
  return now - at < 1_000 ? "just now" : `${duration(now - at)} ago`;
}

export function clock(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour12: false });
}

export function dateTime(at: number): string {
  return new Date(at).toLocaleString();
}
