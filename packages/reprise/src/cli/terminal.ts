/** The terminal when another program has had it: one that was killed leaves it as it used it. */

import { spawnSync } from "node:child_process";
import type { Cli } from "./cli.ts";

/**
 * Ends what full-screen programs begin: keys and mouse reported in their own way, pasted text in
 * brackets, a part of the screen that scrolls, colours, a hidden cursor, the second screen. Then the
 * last line, since nobody knows where the cursor is: there nothing is overwritten.
 */
const plain = [
  ...["<u", ">4m", "?1000l", "?1002l", "?1003l", "?1006l", "?1004l", "?2004l"],
  ...["r", "m", "?25h", "?1049l", "999H"],
]
  .map((code) => `\u001b[${code}`)
  .join("");

/** Remembers the modes of the terminal, if there is one; the returned function brings them back. */
export function rememberTerminal({ stdin, out }: Pick<Cli, "stdin" | "out">): () => void {
  if (!stdin.isTTY) return () => {};
  const modes = stty("-g");
  return () => {
    if (modes) stty(modes);
    if (out.tty) out.write(`${plain}\n`);
  };
}

function stty(argument: string): string {
  const stdio = ["inherit", "pipe", "ignore"] as const;
  return spawnSync("stty", [argument], { stdio: [...stdio], encoding: "utf8" }).stdout?.trim();
}
