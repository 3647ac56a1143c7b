/**
 * The default model: it remembers. It obeys `remember X`, `what did I ask you to remember?`, `echo TEXT` and
 * `run COMMAND` when they are the last line of the last message, and answers any other message with the number of user
 * messages it saw. It looks for X in the whole request, so an answer shows whether a conversation was continued, pasted,
 * or lost. A request for a summary gets the number of messages and what it was asked to remember.
 */

import type { Answer, ModelRequest } from "./model.ts";

/** A line may carry the label of a pasted transcript: `User: remember X`, `> remember X`. */
const label = String.raw`^[ \t]*(?:>[ \t]*)*(?:[\[*]*\w+[\]*]*:[ \t]*)?`;
const order = (words: string) => new RegExp(label + words, "gim");

/** How claude, codex and pi ask for a summary, and Reprise in codex's place. */
const summaryWanted =
  /Your task is to create a detailed summary|CONTEXT CHECKPOINT COMPACTION|You are about to forget this conversation|structured context checkpoint summary|into the existing summary|Create a concise checkpoint/;

export function remembering({ messages }: Pick<ModelRequest, "messages">): Answer {
  const asked = messages.findLastIndex((message) => message.role === "user");
  const line = lastLine(messages[asked]?.text ?? "");
  const seen = messages.filter((message) => message.role === "user");
  const remembered = seen
    .flatMap(({ text }) => [...text.matchAll(order("remember +(.+)"))])
    .at(-1)?.[1]
    ?.trim();

  if (summaryWanted.test(messages[asked]?.text ?? ""))
    return {
      text: `<summary>\nSummed up ${messages.length} messages.\n${remembered ? `remember ${remembered}\n` : ""}</summary>`,
    };
  if (order("what did I ask you to remember").test(line))
    return { text: remembered ?? "You did not ask me to remember anything." };
  const [, remember] = order("remember +(.+)").exec(line) ?? [];
  if (remember) return { text: `I will remember ${remember.trim()}.` };
  const [, echo] = order("echo +(.+)").exec(line) ?? [];
  if (echo) return { text: echo.trim() };
  const [, run] = order("run +(.+)").exec(line) ?? [];
  if (run) {
    const output = messages.slice(asked + 1).findLast((message) => message.role === "tool");
    return output ? { text: `It said: ${output.text.trim()}` } : { shell: run.trim() };
  }
  const count = seen.length;
  return { text: `I have seen ${count} user ${count === 1 ? "message" : "messages"}.` };
}

/** A closing tag after the prompt is not a line of it. */
function lastLine(text: string): string {
  const lines = text
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^<\/[\w:-]+>$/.test(line));
  return lines.at(-1) ?? "";
}
