/** Commands that messages name, with `--home` where it was given, so that they can be pasted. */

import { commandGroups } from "./command-groups.ts";

const words = commandGroups.flatMap(([, paths]) => paths.map((path) => path.split(" ")[0]));
const named = new RegExp(String.raw`\breprise (?=(?:${[...new Set(words)].join("|")})\b)`, "g");

/** Changes messages of ours; with `home` undefined they stay as they are. */
export function hinting(home: string | undefined): (text: string) => string {
  if (home === undefined) return (text) => text;
  const program = `reprise --home ${shellWord(home)} `;
  return (text) => text.replace(named, () => program);
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
