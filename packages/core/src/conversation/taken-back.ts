/** Which messages were taken back when a person rewound the conversation in the provider's own program. */

import type { Message } from "./message.ts";

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
