/**
 * What "the model" of the scripted agent answers: a pure function of its history and the prompt. It
 * obeys the last line of the prompt that is a command, and remembers from its own history as well as
 * from a transcript that was pasted into a prompt.
 */

import type { Item } from "./files.ts";

export interface ScriptedAnswer {
  readonly text: string;
  /** A tool that the model calls before it answers. */
  readonly tool: string | null;
  /** What the model does on the machine before it answers; the answer contains the result. */
  readonly deed?: Deed;
}

/** A file to write or read, or a command to run, if the access allows it. */
export interface Deed {
  readonly tool: "write" | "read" | "command";
  readonly target: string;
}

/** Marks a permission question in the session; the command follows. */
export const permissionMark = "ask-permission: ";

const remember = /^(?:please )?remember:? (?:that )?(.+)$/i;

type Command = (found: RegExpExecArray, history: readonly Item[], prompt: string) => ScriptedAnswer;

const commands: readonly (readonly [RegExp, Command])[] = [
  [remember, (found) => say(`I will remember ${found[1]}`)],
  [/^what did i ask you to remember\??$/i, (_, history, prompt) => say(recall(history, prompt))],
  [/^echo (.+)$/i, (found) => say(found[1] ?? "")],
  [
    /^answered (.+)$/i,
    (found, history) => ({
      text: `I was answered ${found[1]}`,
      tool: found[1] === "yes" ? permitted(history) : null,
    }),
  ],
  [
    /^how many turns\??$/i,
    (_, history) =>
      say(`This is turn ${history.filter(({ role }) => role === "user").length + 1}.`),
  ],
  [
    /^run tool (\S+)$/i,
    (found) => ({ text: `The tool ${found[1]} has run.`, tool: found[1] ?? "" }),
  ],
  [
    /^(write|read) file (\S+)$/i,
    (found) => doing(found[1]!.toLowerCase() as Deed["tool"], found[2]!),
  ],
  [/^run command (.+)$/i, (found) => doing("command", found[1]!)],
];

export function answer(history: readonly Item[], prompt: string): ScriptedAnswer {
  for (const line of plainLines(withoutQuotes(prompt)).reverse())
    for (const [pattern, command] of commands) {
      const found = pattern.exec(line);
      if (found) return command(found, history, prompt);
    }
  return say(`Understood. I see ${history.length} earlier messages.`);
}

/** The command that was asked for last, now that it is allowed; null after another question. */
function permitted(history: readonly Item[]): string | null {
  const { role, text } = history.at(-1) ?? { role: "user", text: "" };
  return role === "tool" && text.startsWith(permissionMark)
    ? text.slice(permissionMark.length)
    : null;
}

function doing(tool: Deed["tool"], target: string): ScriptedAnswer {
  return { text: "", tool: null, deed: { tool, target } };
}

function say(text: string): ScriptedAnswer {
  return { text, tool: null };
}

/** The newest thing to remember: in the prompt, including what it quotes, then in the history. */
function recall(history: readonly Item[], prompt: string): string {
  const said = history.filter(({ role }) => role === "user" || role === "summary");
  for (const text of [prompt, ...said.map((item) => item.text).reverse()]) {
    const newest = rememberedIn(text).at(-1);
    if (newest) return newest;
  }
  return "You did not ask me to remember anything.";
}

/** What a text asks to remember, oldest first. */
export function rememberedIn(text: string): string[] {
  return plainLines(text).flatMap((line) => remember.exec(line)?.[1] ?? []);
}

/** A tagged block quotes other text, so it contains no command for this turn. */
function withoutQuotes(prompt: string): string {
  const rest = prompt.replace(/^<([\w:-]+)[^<>]*>$.*?^<\/\1>$/gms, "");
  return rest.trim() === "" ? prompt : rest;
}

/** Lines without the marks of a quoted transcript: `> `, `- `, `<user>`, `**User:**`, `[user]`. */
function plainLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/^(?:\s|>|[-*]\s|<[^<>]*>|\*\*|\[?(?:user|human)\b[^:\]]{0,40}[:\]])+/i, "")
        .replace(/(?:\s|<\/[^<>]*>|\*\*)+$/, ""),
    );
}
