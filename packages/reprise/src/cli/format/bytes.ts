/** Sizes for people: `812 B`, `4.2 KiB`, `31 MiB`. */

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function byteText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
