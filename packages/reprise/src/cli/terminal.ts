/** Restores the terminal after another program used it: a killed program does not reset it. */

import { spawnSync } from "node:child_process";
import type { Cli } from "./cli.ts";

/**
 * Resets what full-screen programs change: keyboard and mouse reporting, bracketed paste, the scroll region, colours,
 * the hidden cursor, the alternate screen. Then moves to the last line, because the cursor's position is unknown and
 * nothing is overwritten there.
 */
const plain = [
  ...["<u", ">4m", "?1000l", "?1002l", "?1003l", "?1006l", "?1004l", "?2004l"],
  ...["r", "m", "?25h", "?1049l", "999H"],
]
  .map((code) => `\u001b[${code}`)
  .join("");

/** Saves the terminal's modes, if there is one; the returned function restores them. */
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
