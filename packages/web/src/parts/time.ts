/** Times in words: how long something took, how long ago it was. */

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `340 ms`, `12 s`, `1 min 20 s`, `2 h 5 min`, `5 d 3 h`. */
export function duration(milliseconds: number): string {
  const at = units.findIndex(([, size]) => milliseconds >= size);
  const [unit, size] = units[at] ?? [];
  if (unit === undefined || size === undefined)
    return `${Math.max(0, Math.round(milliseconds))} ms`;
  const [smaller, smallerSize] = units[at + 1] ?? [];
  const rest = smallerSize ? Math.floor((milliseconds % size) / smallerSize) : 0;
  return `${Math.floor(milliseconds / size)} ${unit}${rest > 0 ? ` ${rest} ${smaller}` : ""}`;
}

/** `just now`, `75 s ago`, `2 min ago`, `3 h ago`. A unit begins at two of it, so that it is never far off. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < 1_000) return "just now";
  const [unit, size] = units.find(([, each]) => past >= 2 * each) ?? ["s", 1_000];
  return `${Math.floor(past / size)} ${unit} ago`;
}

export function clock(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour12: false });
}

export function dateTime(at: number): string {
  return new Date(at).toLocaleString();
}
