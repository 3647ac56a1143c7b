/** The slice of a conversation that one agent's provider session is made of. */

import type { Message, MessageOutline } from "./message.ts";

/** A cryptographic digest of a text, passed in by the caller because core does no I/O. */
export type Hash = (text: string) => string;

/** The state of a chain of items: how many there are, and a digest over all of them in order. */
export interface ChainEnd {
  readonly length: number;
  readonly digest: string;
}

/** A part of the conversation, measured against what the pin was given. */
export interface Measure extends ChainEnd {
  /** Digest of as many messages as the pin was given; null when there are fewer. */
  readonly prefix: string | null;
}

/** The agent's slice of the conversation now. */
export interface SliceNow extends Measure {
  /** Messages before the slice, summarized by a hand-off note. */
  readonly earlier: number;
  /** Set if another agent has answered since: the slice at this agent's last answer, with everything after it. */
  readonly overtaken?: Measure;
}

/** The current messages: those since the last blank turn began, without those that were taken back. */
export function sinceOpening<M extends Pick<MessageOutline, "opening" | "takenBack">>(
  conversation: readonly M[],
): readonly M[] {
  const start = conversation.findLastIndex((message) => message.opening);
  return conversation.slice(Math.max(0, start)).filter((message) => !message.takenBack);
}

/** The messages after the last answer of another agent, and after the last blank turn began. */
export function slice<M extends Pick<MessageOutline, "role" | "agent" | "opening" | "takenBack">>(
  conversation: readonly M[],
  agent: string,
): readonly M[] {
  const current = sinceOpening(conversation);
  const boundary = current.findLastIndex(
    (message) => message.role === "assistant" && message.agent !== agent,
  );
  return current.slice(boundary + 1);
}

/**
 * The end of the chain over digests: equal ends mean equal items in equal order. It stops at the length `limit`, and
 * continues the chain that ended in `from`.
 */
export function chain(
  digests: Iterable<string>,
  hash: Hash,
  limit = Infinity,
  from: ChainEnd = { length: 0, digest: "" },
): ChainEnd {
  let { digest, length } = from;
  for (const item of digests) {
    if (length === limit) break;
    digest = hash(`${digest}\n${item}`);
    length += 1;
  }
  return { length, digest };
}

export function messageDigest(role: string, text: string, hash: Hash): string {
  return hash(`${role}\n${text}`);
}

/** Measures an agent's slice now, and its prefix of the length that the pin was given. */
export function measureSlice(
  conversation: readonly MessageOutline[],
  agent: string,
  given: ChainEnd | null,
  hash: Hash,
): SliceNow {
  const current = sinceOpening(conversation);
  const own = slice(current, agent);
  const earlier = current.length - own.length;
  const now = { ...measure(own, given, hash), earlier };

  const answered = current.findLastIndex(
    (message) => message.role === "assistant" && message.agent === agent,
  );
  if (answered === -1 || answered >= earlier) return now;
  const before = slice(current.slice(0, answered + 1), agent).length;
  return { ...now, overtaken: measure(current.slice(answered + 1 - before), given, hash) };
}

function measure(messages: readonly MessageOutline[], given: ChainEnd | null, hash: Hash): Measure {
  let prefix: string | null = given?.length === 0 ? "" : null;
  let digest = "";
  for (const [index, message] of messages.entries()) {
    digest = hash(`${digest}\n${message.digest}`);
    if (index + 1 === given?.length) prefix = digest;
  }
  return { length: messages.length, digest, prefix };
}

// Which messages were taken back when a person rewound the conversation in the provider's own program.

/** An item of a provider's history, as far as it matters here. */
interface PinnedItem {
  readonly role: string;
  readonly text: string;
}

/**
 * The messages that were lost if only the first `kept` items of the pinned history remain. A prompt is the
 * end of its item, because Reprise writes notes and transcript before it. Items that are not our messages,
 * such as the prompt of a compaction, are skipped. If no prompt remains, everything was taken back: the
 * earlier conversation was part of the first prompt.
 */
export function takenBackMessages<M extends Pick<Message, "role" | "text">>(
  messages: readonly M[],
  pinned: readonly PinnedItem[],
  kept: number,
): readonly M[] {
  if (!pinned.slice(0, kept).some(isPrompt)) return messages;
  const lost = pinned.slice(kept);
  let from = messages.length;
  for (const item of lost.filter(isPrompt).reverse()) {
    const prompt = messages.findLastIndex(
      (message, at) => at < from && isPrompt(message) && endsWith(item.text, message.text),
    );
    if (prompt !== -1) from = prompt;
  }
  return messages.slice(Math.min(from, firstLostAnswer(messages, lost, from)));
}

/** The first lost answer of a turn whose prompt remains; `from` if there is no such turn. */
function firstLostAnswer(
  messages: readonly Pick<Message, "role" | "text">[],
  lost: readonly PinnedItem[],
  from: number,
): number {
  const next = lost.findIndex(isPrompt);
  const answers = lost.slice(0, next === -1 ? lost.length : next).filter(isAnswer);
  const prompt = messages.findLastIndex((message, at) => at < from && isPrompt(message));
  if (answers.length === 0 || prompt === -1) return from;
  const known = messages.findIndex(
    ({ text }, at) => at > prompt && at < from && answers.some((answer) => answer.text === text),
  );
  return known === -1 ? prompt + 1 : known;
}

const isPrompt = ({ role }: { readonly role: string }) => role === "user";
const isAnswer = ({ role }: { readonly role: string }) => role === "assistant";

function endsWith(item: string, prompt: string): boolean {
  return prompt.trim() === "" ? item.trim() === "" : item.trimEnd().endsWith(prompt.trimEnd());
}
