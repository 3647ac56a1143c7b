/**
 * Our record of a conversation as an agent reads it: every message is a block of inert data, in order. If it
 * is too long, the oldest messages are left out, and the record says so.
 */

import type { Message } from "../conversation/message.ts";
import { block, escapeTags } from "./inert.ts";
import { utf8Head, utf8Length } from "./utf8.ts";

/** The parts of a message that an agent is sent. */
export type Quoted = Pick<Message, "role" | "agent" | "text" | "origin" | "tools">;

export interface Rendered {
  readonly text: string;
  /** Messages that were left out, and whether the newest one was cut. */
  readonly omitted: number;
  readonly cut: boolean;
}

/** Renders the newest messages that fit into `maxBytes`, as `agent` sees them. */
export function renderTranscript(
  name: "handoff" | "transcript" | "catch-up",
  messages: readonly Quoted[],
  agent: string,
  maxBytes: number,
): Rendered {
  const room = maxBytes - utf8Length(frame(name, [omission(messages.length), ""]));
  const { blocks, cut } = newest(messages, agent, room);
  const omitted = messages.length - blocks.length;
  const said = omitted > 0 ? [omission(omitted)] : [];
  return { text: frame(name, [...said, ...blocks]), omitted, cut };
}

export function frame(name: string, lines: readonly string[]): string {
  return [`<reprise:${name}>`, ...lines, `</reprise:${name}>`].join("\n");
}

/** The newest messages that fit, each as a block. A newest message that is too long by itself is cut. */
export function newest(
  messages: readonly Quoted[],
  agent: string,
  room: number,
): { readonly blocks: readonly string[]; readonly cut: boolean } {
  const blocks: string[] = [];
  let used = 0;
  let cut = false;
  for (const message of messages.toReversed()) {
    const whole = quote(message, message.text, agent);
    if (used + utf8Length(whole) + 1 <= room) {
      blocks.unshift(whole);
      used += utf8Length(whole) + 1;
      continue;
    }
    if (blocks.length === 0) {
      const part = quoteCut(message, agent, room);
      if (part !== null) blocks.unshift(part);
      cut = part !== null;
    }
    break;
  }
  return { blocks, cut };
}

function quote(message: Quoted, text: string, agent: string): string {
  const unconfirmed = message.origin === "unconfirmed" ? " unconfirmed" : "";
  if (message.role === "user") return block("user", text, unconfirmed) + toolsLine(message);
  if (message.agent === agent) return block("you", text, unconfirmed);
  return block("agent", text, ` name="${message.agent}"${unconfirmed}`);
}

/** Lists the tools that a turn had started before it was cut off. */
function toolsLine({ tools = [] }: Quoted): string {
  if (tools.length === 0) return "";
  const counted = [...Map.groupBy(tools, (name) => name)].map(([name, uses]) =>
    uses.length === 1 ? name : `${name} ×${uses.length}`,
  );
  return `\n(this turn was cut off; tools that ran: ${escapeTags(counted.join(", "))})`;
}

/** The beginning of a message that is too long by itself; null if not even that fits. */
function quoteCut(message: Quoted, agent: string, room: number): string | null {
  const length = utf8Length(message.text);
  const mark = (left: number) => `\n[${left} bytes left out]`;
  const escapes = utf8Length(escapeTags(message.text)) - length;
  const around = utf8Length(quote(message, mark(length), agent));
  const head = utf8Head(message.text, room - 1 - around - escapes);
  if (head === "") return null;
  return quote(message, head + mark(length - utf8Length(head)), agent);
}

export function omission(count: number): string {
  return `(${count} older ${count === 1 ? "message" : "messages"} left out for length)`;
}
