/** An option that may be given again: all that was given. */

export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
