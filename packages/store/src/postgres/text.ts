/** Text as PostgreSQL can keep it: it refuses the character NUL, which agents do print. */

const substitute = "\u001a";

/** Writes NUL as an escape character and 0, and the escape character itself as two. */
export function storedText(text: string): string {
  return text.replaceAll(substitute, substitute + substitute).replaceAll("\0", `${substitute}0`);
}

export function textFrom(stored: string): string {
  return stored
    .split(substitute + substitute)
    .map((part) => part.replaceAll(`${substitute}0`, "\0"))
    .join(substitute);
}
