/** What a script printed, as feedback for the agent whose work it checked: the ends of both outputs. */

import type { ErrorView } from "@reprise/core/errors/errors";
import type { NamedValues } from "./event.ts";

/** In characters, for each of the two outputs: the errors of a long report are usually at its end. */
const maxEnd = 8_000;

/** Derived whenever it is read, so that the events do not contain the same text twice. */
export function withFeedback(outputs: NamedValues, error: ErrorView | null): NamedValues {
  if (outputs.feedback !== undefined) return outputs;
  const { stdout = outputs.output, stderr } = outputs;
  const printed = [stdout, stderr].map(endOf).filter((text) => text !== "");
  const isPlain = error === null || (error.code === "exit-code" && printed.length > 0);
  const texts = isPlain ? printed : [error.message, ...printed];
  if (texts.length === 0) return outputs;
  return { ...outputs, feedback: texts.join("\n\n") };
}

function endOf(printed: unknown): string {
  const text = typeof printed === "string" ? printed.trimEnd() : "";
  if (text.length <= maxEnd) return text;
  const end = text.slice(-maxEnd);
  const line = end.indexOf("\n");
  // A single long line has no beginning to cut at.
  return `[${text.length - maxEnd} characters before this are left out]\n${end.slice(line < 0 || line > maxEnd / 2 ? 0 : line + 1)}`;
}
