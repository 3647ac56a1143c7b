/** Quotes a given text for a message, so that spaces and line ends in it are visible. */

const maxShown = 60;

export function shown(text: string): string {
  return JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}
