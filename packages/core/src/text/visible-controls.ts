/**
 * Text from outside as it is shown to people: control characters that a terminal obeys, and marks that change
 * the reading order, are written as escapes, so that they neither act nor hide anything.
 */

/** C0 without tab and line feed, DEL and C1: a terminal obeys some of them. */
const controls = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f`;
/** Marks, embeddings, overrides and isolates of bidirectional text. */
const bidi = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

const obeyed = new RegExp(`[${controls}${bidi}]`, "g");
/** JSON itself escapes C0; the line separators end a line for some readers. */
const unescaped = new RegExp(String.raw`[\u007f-\u009f\u2028\u2029${bidi}]`, "g");

/** Writes U+202E as the six characters `\u202e`. */
export function visibleControls(text: string): string {
  return text.replace(obeyed, escaped);
}

/** JSON of the same value that is harmless on a terminal. */
export function inertJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? "null").replace(unescaped, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
