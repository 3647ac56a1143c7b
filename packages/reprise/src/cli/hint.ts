/** Writes the hints of messages as commands that can be pasted, with `--home` if it was given. */

import { asCommands } from "@reprise/core/api/verb-commands";
import { hasHint } from "@reprise/core/errors/hint";
import { shellWord } from "@reprise/core/text/shell-word";
import { commandGroups } from "./command-groups.ts";

const words = commandGroups.flatMap(([, paths]) => paths.map((path) => path.split(" ")[0]));
const named = new RegExp(String.raw`\breprise (?=(?:${[...new Set(words)].join("|")})\b)`, "g");

/** Rewrites calls of the library, and commands, in the messages of Reprise. */
export function hinting(home: string | undefined): (text: string) => string {
  const program = home === undefined ? "reprise" : `reprise --home ${shellWord(home)}`;
  return (text) => {
    const pasted = home === undefined ? text : text.replace(named, () => `${program} `);
    return hasHint(pasted) ? asCommands(pasted, program) : pasted;
  };
}
