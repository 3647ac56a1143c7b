/** Durations as people write them: `90s`, `12h`, `30d`. */

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds; null if the text is not a duration. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? null : Number(amount) * units[unit as keyof typeof units];
}

/** In the largest unit that gives a whole number. */
export function formatDuration(milliseconds: number): string {
  const unit = (["d", "h", "m", "s"] as const).find((name) => milliseconds % units[name] === 0);
  return milliseconds > 0 && unit ? `${milliseconds / units[unit]}${unit}` : `${milliseconds}ms`;
}

/** About how long, in the largest unit that fits in it once: `31d`, `5h`. */
export function roughDuration(milliseconds: number): string {
  const unit = (["d", "h", "m", "s"] as const).find((name) => milliseconds >= units[name]) ?? "ms";
  return `${Math.floor(milliseconds / units[unit])}${unit}`;
}
