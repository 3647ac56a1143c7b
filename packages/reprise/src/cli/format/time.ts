/** Times and durations for people. */

const units: readonly (readonly [milliseconds: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** How long ago: `12 s`, `3 min`, `2 h`, `5 d`; `now` within a second. */
export function age(at: number, now: number): string {
  const passed = now - at;
  for (const [length, name] of units)
    if (passed >= length) return `${Math.floor(passed / length)} ${name}`;
  return "now";
}

export function ago(at: number, now: number): string {
  const text = age(at, now);
  return text === "now" ? "just now" : `${text} ago`;
}

/** A duration: `0.4 s`, `12 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function elapsed(passed: number): string {
  // The clock may have been set back meanwhile.
  const milliseconds = Math.max(0, passed);
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long until then: `3 d`, `5 h`; rounded, so that a deadline of three days begins as three. */
export function until(at: number, now: number): string {
  const left = at - now;
  for (const [length, name] of units)
    if (left >= length * 0.95) return `${Math.round(left / length)} ${name}`;
  return "a moment";
}

/** The local time of day, with the date before it. */
export function clock(at: number): string {
  return new Date(at).toLocaleString("sv-SE");
}
