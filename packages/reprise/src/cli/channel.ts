/** An output stream as commands see it: how wide it is, whether a person watches, and its colours. */

import { styleText } from "node:util";
import { inertLine } from "./format/text.ts";
import type { OutputStream, Surroundings } from "./surroundings.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Channel {
  readonly tty: boolean;
  /** Whether a line can be redrawn: on a terminal, unless TERM is dumb. */
  readonly redraws: boolean;
  readonly coloured: boolean;
  /** The terminal's current columns; unlimited without a terminal, so that output to a file is not shortened. */
  readonly width: number;
  /** Writes the text unchanged: text from outside must be made `inert` first. */
  write(text: string): void;
  /** On a terminal all control sequences are neutralized, except the colours of `paint`. */
  line(text?: string): void;
  paint(style: Style, text: string): string;
  /** The message with its commands completed so that they can be pasted. */
  hint(text: string): string;
}

export function channel(
  stream: OutputStream,
  env: Surroundings["env"],
  colourWanted: boolean,
  hint: (text: string) => string = (text) => text,
): Channel {
  const tty = stream.isTTY === true;
  const coloured = colourWanted && hasColours(tty, env);
  return {
    tty,
    redraws: tty && env.TERM !== "dumb",
    coloured,
    get width() {
      // Some terminals report 0 columns when they do not know.
      return tty ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    write: (text) => void stream.write(text),
    line: (text = "") => void stream.write(`${tty ? inertLine(text) : text}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    hint,
  };
}

/** FORCE_COLOR overrides NO_COLOR, which overrides the terminal's abilities, as in Node. */
function hasColours(tty: boolean, { FORCE_COLOR, NO_COLOR, TERM }: Surroundings["env"]): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR) return false;
  return tty && TERM !== "dumb";
}
