/** The commands that a page shows, in their order, with the output that it shows for them. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface ShownCommand {
  /** `README.md:42`. */
  readonly place: string;
  readonly text: string;
  /** The lines below it in a `console` block; null in a block of `sh`, which shows none. */
  readonly output: readonly string[] | null;
  /** From a comment such as `# exit code 3: it waits for a person`. */
  readonly exitCode: number;
}

const fence = /^ *```(\w*)/;

export function shownCommands(page: string): ShownCommand[] {
  const lines = readFileSync(`${root}${page}`, "utf8").split("\n");
  const commands: ShownCommand[] = [];
  let language: string | null = null;
  for (let index = 0; index < lines.length; index += 1) {
    const opened = fence.exec(lines[index]!);
    if (opened) language = language === null ? opened[1]! : null;
    else if (language === "console" || language === "sh") {
      const first = index;
      let text = lines[index]!.trim();
      if (language === "console" && !text.startsWith("$ ")) continue;
      while (text.endsWith("\\")) {
        index += 1;
        text += `\n${lines[index]!.trim()}`;
      }
      if (text === "" || text.startsWith("#")) continue;
      commands.push({
        place: `${page}:${first + 1}`,
        text: language === "console" ? text.slice(2) : text,
        output: language === "console" ? outputBelow(lines, index) : null,
        exitCode: Number(/#.* exit code (\d+)/.exec(text)?.[1] ?? 0),
      });
    }
  }
  return commands;
}

function outputBelow(lines: readonly string[], index: number): string[] {
  const below = lines.slice(index + 1);
  return below.slice(
    0,
    below.findIndex((line) => line.startsWith("$ ") || fence.test(line)),
  );
}
