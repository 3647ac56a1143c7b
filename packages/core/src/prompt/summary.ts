/**
 * A summary of a conversation, made without a model, so that it is always the same: the first message, one
 * line for each message in between, and the newest messages in full. Its length is limited.
 */

import { block } from "./inert.ts";
import { frame, newest, omission, type Quoted } from "./transcript.ts";
import { utf8Head, utf8Length } from "./utf8.ts";

const maxSummaryBytes = 48 * 1024;

/** Three turns. */
const newestMessages = 6;

const maxLineBytes = 160;

/** At most `maxBytes`, as `agent` sees it. */
export function renderSummary(
  messages: readonly Quoted[],
  agent: string,
  maxBytes: number,
): string {
  const room = Math.min(maxBytes, maxSummaryBytes);
  const at = recentFrom(messages);
  const between = messages.slice(1, at);
  const note = noteOn(between.length);
  const share = room - utf8Length(frame("transcript", [note, ""]));
  const recent = newest(messages.slice(at), agent, Math.floor(share / 2)).blocks;
  const first = newest(messages.slice(0, Math.min(1, at)), agent, Math.floor(share / 4)).blocks;
  const used = [...recent, ...first].reduce((sum, text) => sum + utf8Length(text) + 1, 0);
  const lines = outline(between, agent, share - used);
  return frame("transcript", [
    ...(between.length > 0 ? [note] : []),
    ...first,
    ...lines,
    ...recent,
  ]);
}

/** Where the newest turns begin: with a prompt, not with an answer. */
function recentFrom(messages: readonly Quoted[]): number {
  const earliest = Math.max(0, messages.length - newestMessages);
  const prompt = messages.findIndex(({ role }, index) => index >= earliest && role === "user");
  return prompt === -1 ? earliest : prompt;
}

function outline(messages: readonly Quoted[], agent: string, room: number): string[] {
  if (messages.length === 0) return [];
  const left = room - utf8Length(block("outline", `${omission(messages.length)}\n`)) - 1;
  const lines: string[] = [];
  let used = 0;
  for (const message of messages.toReversed()) {
    const line = lineOf(message, agent);
    // Escaping one of our tags adds bytes.
    used += utf8Length(block("outline", line)) - utf8Length(block("outline", "")) + 1;
    if (used > left) break;
    lines.unshift(line);
  }
  const omitted = messages.length - lines.length;
  return [block("outline", [...(omitted > 0 ? [omission(omitted)] : []), ...lines].join("\n"))];
}

function lineOf({ role, agent: by, text }: Quoted, agent: string): string {
  const who = role === "user" ? "user" : by === agent ? "you" : by;
  const line = text.replace(/\s+/g, " ").trim();
  const head = utf8Head(line, maxLineBytes);
  return `${who}: ${head === line ? line : `${head.trimEnd()}…`}`;
}

function noteOn(between: number): string {
  return `(${between} ${between === 1 ? "message" : "messages"} condensed to one line each)`;
}
