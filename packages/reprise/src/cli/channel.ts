/** An output stream as commands see it: how wide it is, whether a person watches, and its colours. */

import { styleText } from "node:util";
import { inertLine } from "./format/text.ts";
import type { OutputStream, Surroundings } from "./surroundings.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Channel {
  readonly tty: boolean;
  /** A line can be drawn again: a terminal, unless it says that it is dumb. */
  readonly redraws: boolean;
  readonly coloured: boolean;
  /** Columns that the terminal has now; unlimited where there is none, so that nothing is shortened in a file. */
  readonly width: number;
  /** As it is: what comes from outside must be made `inert` before. */
  write(text: string): void;
  /** On a terminal nothing in it is obeyed but the colours of `paint`. */
  line(text?: string): void;
  paint(style: Style, text: string): string;
  /** The message with the commands that it names as they can be pasted. */
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
      // Some terminals say 0 columns when they do not know.
      return tty ? stream.columns || 80 : Number.POSITIVE_INFINITY;
    },
    write: (text) => void stream.write(text),
    line: (text = "") => void stream.write(`${tty ? inertLine(text) : text}\n`),
    paint: (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text),
    hint,
  };
}

/** FORCE_COLOR over NO_COLOR over what the terminal can do, as Node itself has it. */
function hasColours(tty: boolean, { FORCE_COLOR, NO_COLOR, TERM }: Surroundings["env"]): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR) return false;
  return tty && TERM !== "dumb";
}
