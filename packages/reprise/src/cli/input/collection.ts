/** Options with several values: given again, or with commas between them. */

/** An option that may be given again: all that was given. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Several in one word, with commas between them; may be given again too. */
export function listing(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(",").map((each) => each.trim())];
}
