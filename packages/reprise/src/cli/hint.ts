/** What a message tells you to do, as commands that can be pasted: with `--home` where it was given. */

import { asCommands } from "@reprise/core/api/verb-commands";
import { shellWord } from "@reprise/core/text/shell-word";
import { commandGroups } from "./command-groups.ts";

const words = commandGroups.flatMap(([, paths]) => paths.map((path) => path.split(" ")[0]));
const named = new RegExp(String.raw`\breprise (?=(?:${[...new Set(words)].join("|")})\b)`, "g");

/** Changes messages of ours: calls of the library, and commands that are written out. */
export function hinting(home: string | undefined): (text: string) => string {
  if (home === undefined) return (text) => asCommands(text);
  const program = `reprise --home ${shellWord(home)}`;
  return (text) =>
    asCommands(
      text.replace(named, () => `${program} `),
      program,
    );
}
