/** The conversation of an opencode session as a model gets it, from the rows of its database. */

import { type Hash, messageDigest } from "@reprise/core/conversation/slice";
import type { HistoryItem } from "@reprise/core/session/history";

import type { MessageRow, PartRow, SessionImage } from "./session-image.ts";

interface Message {
  readonly role?: string;
  /** The answer to a request for a summary. */
  readonly summary?: unknown;
  readonly finish?: string;
}

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly ignored?: boolean;
  readonly tool?: string;
  readonly callID?: string;
  readonly state?: {
    readonly status?: string;
    readonly input?: unknown;
    readonly output?: string;
    readonly error?: string;
  };
}

interface Read {
  readonly id: string;
  readonly message: Message;
  readonly parts: readonly Part[];
}

export interface Conversation {
  readonly items: readonly HistoryItem[];
  readonly bytes: number;
  readonly compacted: boolean;
}

/** Null when a row cannot be understood. */
export function conversationOf(image: SessionImage, hash: Hash): Conversation | null {
  const all = messagesOf(image);
  if (all === null) return null;
  const messages = beforeRevert(all, image.session.revert);
  // Opencode sends what follows the last summary; the summary answers a message of its own.
  const summary = messages.findLastIndex(({ message }) => isSummary(message));
  const sent = summary === -1 ? messages : messages.slice(summary);
  const words = sent.flatMap(wordsOf);
  const sizes = [...image.messages, ...image.parts].map(({ data }) => Buffer.byteLength(data));
  return {
    items: words.map(([role, text]) => ({ role, text, digest: messageDigest(role, text, hash) })),
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    compacted: summary !== -1,
  };
}

function messagesOf({ messages, parts }: SessionImage): Read[] | null {
  const ofMessage = Map.groupBy(parts, (part) => part.message_id);
  try {
    return messages.map((row) => ({
      id: row.id,
      message: parsed<Message>(row),
      parts: (ofMessage.get(row.id) ?? []).map((part) => parsed<Part>(part)),
    }));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function parsed<Value>({ data }: MessageRow | PartRow): Value {
  return (JSON.parse(data) ?? {}) as Value;
}

/** A person who went back has taken this message and what follows; the next prompt removes them. */
function beforeRevert(messages: Read[], revert: string | null): Read[] {
  const { messageID } = (revert === null ? {} : JSON.parse(revert)) as { messageID?: string };
  const at = messages.findIndex(({ id }) => id === messageID);
  return at === -1 ? messages : messages.slice(0, at);
}

function isSummary({ role, summary, finish }: Message): boolean {
  return role === "assistant" && summary === true && finish !== undefined;
}

type Words = [role: HistoryItem["role"], text: string];

/**
 * The results follow all calls of their message: a call that was cut off gets its result when the session is continued,
 * and what was there must stay in front of it.
 */
function wordsOf({ message, parts }: Read): Words[] {
  const texts = parts.filter(({ type, ignored }) => type === "text" && !ignored);
  if (message.role === "user") return said("user", texts);
  if (message.role !== "assistant") return [];
  if (isSummary(message)) return said("summary", texts);
  const calls = parts.filter(({ type, state }) => type === "tool" && state?.status !== "pending");
  return [
    ...said("assistant", texts),
    ...calls.map(
      ({ tool, callID, state }): Words => [
        "tool",
        JSON.stringify(["call", callID ?? null, tool ?? null, state?.input ?? null]),
      ],
    ),
    ...calls.flatMap(({ callID, state }): Words[] => {
      const result = state?.output ?? state?.error;
      return result === undefined
        ? []
        : [["tool", JSON.stringify(["result", callID ?? null, result])]];
    }),
  ];
}

function said(role: HistoryItem["role"], parts: readonly Part[]): Words[] {
  const text = parts.map((part) => part.text ?? "").join("");
  return text === "" ? [] : [[role, text]];
}
