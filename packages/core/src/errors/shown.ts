/** A text as somebody gave it, for a message: in one piece, so that a space or a line end in it is seen. */

const longest = 60;

export function shown(text: string): string {
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);
}
