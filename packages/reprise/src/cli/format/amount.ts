/** Numbers with separators, as in `1,204`. `Intl` writes the same, but takes more than 10 ms to load. */

export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 turn`, `2 turns`, `1,204 tokens`. */
export function amount(count: number, one: string): string {
  return `${grouped(count)} ${count === 1 ? one : `${one}s`}`;
}
