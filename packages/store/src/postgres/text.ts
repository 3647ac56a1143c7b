/**
 * Text as PostgreSQL can keep it: it refuses the character NUL, which agents do print. It also fails when it reads any
 * field of a JSON document in which NUL is written as `\u0000`. So the same escape is used for the character and for
 * what stands for it in JSON; the escaped document is valid JSON with escaped text.
 */

const substitute = "\u001a";
const inJson = { nul: "\\u0000", substitute: "\\u001a" };

/** Writes NUL as an escape character and 0, and the escape character itself as two. */
export function storedText(text: string): string {
  return text
    .replaceAll(substitute, substitute + substitute)
    .replaceAll("\0", `${substitute}0`)
    .replaceAll(inJson.substitute, inJson.substitute + inJson.substitute)
    .replaceAll(inJson.nul, `${inJson.substitute}0`);
}

export function textFrom(stored: string): string {
  if (!stored.includes(substitute) && !stored.includes(inJson.substitute)) return stored;
  return (
    stored
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the escape character.
      .replace(/\u001a([\u001a0])/g, (_, escaped) => (escaped === "0" ? "\0" : substitute))
      .replace(/\\u001a(\\u001a|0)/g, (_, escaped) =>
        escaped === "0" ? inJson.nul : inJson.substitute,
      )
  );
}
