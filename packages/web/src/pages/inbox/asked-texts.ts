/** The questions of an agent, read from its tool's input: each text with its options. */

export interface AskedText {
  readonly text: string;
  readonly options: readonly string[];
}

export function askedTexts(input: unknown, title: string): AskedText[] {
  const { questions } = (input ?? {}) as { questions?: unknown };
  const known = (Array.isArray(questions) ? questions : []).flatMap((each) => {
    const { question, options } = (each ?? {}) as { question?: unknown; options?: unknown };
    return typeof question === "string" ? [{ text: question, options: labels(options) }] : [];
  });
  return known.length > 0 ? known : [{ text: title, options: [] }];
}

function labels(options: unknown): string[] {
  return (Array.isArray(options) ? options : []).flatMap((option) => {
    const label = typeof option === "string" ? option : (option as { label?: unknown })?.label;
    return typeof label === "string" ? [label] : [];
  });
}
