/**
 * Keeps the lines of folded texts (`>`) as they were written: the YAML library knows only the value,
 * and would write each paragraph in one line.
 */

import { type Document, isScalar, Scalar, visit } from "yaml";

/** Turns each folded text into a literal one with the same lines; needs the source tokens. */
export function unfold(document: Document): number[] {
  const folded: number[] = [];
  eachScalar(document, (scalar, at) => {
    const token = scalar.srcToken;
    if (scalar.type !== Scalar.BLOCK_FOLDED || token?.type !== "block-scalar") return;
    const header = token.props.find(({ type }) => type === "block-scalar-header");
    const lines = header && "source" in header ? linesOf(token.source, header.source) : null;
    if (lines === null) return;
    scalar.value = lines;
    scalar.type = Scalar.BLOCK_LITERAL;
    folded.push(at);
  });
  return folded;
}

/** Marks the texts at these places of the written document as folded again. */
export function refold(text: string, written: Document, folded: readonly number[]): string {
  const wanted = new Set(folded);
  const starts: number[] = [];
  eachScalar(written, (scalar, at) => {
    const start = scalar.range?.[0];
    if (wanted.has(at) && start !== undefined && text[start] === "|") starts.push(start);
  });
  let result = "";
  let from = 0;
  for (const start of starts) {
    result += `${text.slice(from, start)}>`;
    from = start + 1;
  }
  return result + text.slice(from);
}

function eachScalar(document: Document, use: (scalar: Scalar, at: number) => void): void {
  let at = 0;
  visit(document, {
    Scalar(_, scalar) {
      if (isScalar(scalar)) use(scalar, at);
      at += 1;
    },
  });
}

/** The text without its indentation; null if its header sets one, which would have to change. */
function linesOf(source: string, header: string): string | null {
  if (/\d/.test(header)) return null;
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  const first = lines.find((line) => line.trim() !== "");
  if (first === undefined) return null;
  const indent = first.length - first.trimStart().length;
  const text = lines.map((line) => line.slice(indent)).join("\n");
  if (header.includes("+")) return text;
  return header.includes("-") ? text.replace(/\n+$/, "") : text.replace(/\n*$/, "\n");
}
