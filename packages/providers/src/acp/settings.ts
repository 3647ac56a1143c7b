/** The settings of an ACP agent, and its command as a list of words. */

import { isAbsolute } from "node:path";
import { UsageError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import type { SettingsSchema } from "../manifest.ts";
import type { ProviderAgent } from "../provider.ts";

export const settings: SettingsSchema = {
  properties: {
    command: {
      description:
        'The agent\'s program with its arguments, as words ("opencode acp") or as a JSON list. The program is a name on the PATH or an absolute path. Needed.',
      format: "command",
    },
    login: {
      description:
        "Id of one of the agent's ways to log in, used before each turn; for an agent that must be asked to use a credential.",
      pattern: "\\S+",
    },
  },
};

const examples = `Name the program and its arguments, as in ${verb("agents.create", { name: slot("NAME"), provider: "acp", settings: { command: "opencode acp" } })}.`;

/** @throws UsageError for settings that cannot be used. */
export async function checkSettings(agent: ProviderAgent): Promise<void> {
  commandOf(agent);
}

/** The words of the command, at least one. @throws UsageError */
export function commandOf({ settings: { command } }: Pick<ProviderAgent, "settings">): string[] {
  if (command === undefined || command.trim() === "")
    throw new UsageError(
      "setting-missing",
      "An agent of acp needs the setting command: the program that speaks the Agent Client Protocol.",
      examples,
    );
  const words = command.trimStart().startsWith("[") ? listIn(command) : wordsIn(command);
  const [program = ""] = words ?? [];
  if (words === null || program === "")
    throw new UsageError(
      "bad-setting",
      `The setting command is ${JSON.stringify(command)}, which is neither a list of words nor a JSON list of texts.`,
      `Close every quotation mark. ${examples}`,
    );
  // Turns are sent from any folder, so a relative path would name another file each time.
  if (program.includes("/") && !isAbsolute(program))
    throw new UsageError(
      "bad-setting",
      `The program of the setting command is "${program}", which is not an absolute path.`,
      "Give an absolute path, or a name on the PATH.",
    );
  return words;
}

function listIn(text: string): string[] | null {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((word) => typeof word === "string") ? list : null;
  } catch {
    return null;
  }
}

/** One word: parts in quotation marks, characters after a backslash, and plain text. */
const word = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gsy;

/** As a shell separates words, without anything that it expands; null if a quotation mark is not closed. */
function wordsIn(text: string): string[] | null {
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    word.lastIndex = 0;
    const [found] = word.exec(rest) ?? [];
    if (found === undefined) return null;
    words.push(unquoted(found));
    const after = rest.slice(found.length);
    rest = after.trimStart();
    if (rest !== "" && rest === after) return null;
  }
  return words;
}

function unquoted(quoted: string): string {
  return quoted.replace(
    /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
    (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replace(/\\(["\\])/g, "$1"),
  );
}
