/** `1 turn`, `2 turns`, `1,204 tokens`. */

const format = new Intl.NumberFormat("en");

export function amount(count: number, one: string): string {
  return `${format.format(count)} ${count === 1 ? one : `${one}s`}`;
}
