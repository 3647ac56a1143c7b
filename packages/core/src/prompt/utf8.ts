/** Lengths of texts as UTF-8, counted without encoding them. */

/** Bytes of the text; a lone surrogate counts as the replacement character that is written for it. */
export function utf8Length(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += unitsAt(text, index))
    length += bytesAt(text, index);
  return length;
}

/** The longest beginning of the text that has at most `maxBytes`; never half a character. */
export function utf8Head(text: string, maxBytes: number): string {
  let length = 0;
  let index = 0;
  while (index < text.length) {
    length += bytesAt(text, index);
    if (length > maxBytes) break;
    index += unitsAt(text, index);
  }
  return text.slice(0, index);
}

function bytesAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return unitsAt(text, index) === 2 ? 4 : 3;
}

/** UTF-16 units of the character: two for a pair of surrogates. */
function unitsAt(text: string, index: number): number {
  const high = text.charCodeAt(index);
  if (high < 0xd800 || high > 0xdbff) return 1;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff ? 2 : 1;
}
