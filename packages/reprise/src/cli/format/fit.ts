/** Decides how wide each part of a line is: parts that may shrink do, widest first, until the line fits. */

import { shorten, textWidth } from "./text.ts";

const narrowest = 6;

export function fit(
  natural: readonly number[],
  givesWay: readonly boolean[],
  room: number,
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = widths.reduce(
      (best, width, index) =>
        givesWay[index] && width > (widths[best] ?? narrowest) ? index : best,
      -1,
    );
    if (widest === -1) break;
    widths[widest]!--;
    excess--;
  }
  return widths;
}

/** Part of a line: fixed text, or a value that may be shortened. */
export type Piece = string | { readonly value: string };

export function fitLine(pieces: readonly Piece[], room: number): string {
  const texts = pieces.map((piece) => (typeof piece === "string" ? piece : piece.value));
  const givesWay = pieces.map((piece) => typeof piece !== "string");
  const widths = fit(texts.map(textWidth), givesWay, room);
  return texts.map((text, index) => shorten(text, widths[index]!)).join("");
}
