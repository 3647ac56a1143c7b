/** Options with several values: repeated, or separated by commas. */

/** For an option that may be repeated: all values so far. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** For values separated by commas; the option may be repeated too. */
export function listing(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(",").map((each) => each.trim())];
}
