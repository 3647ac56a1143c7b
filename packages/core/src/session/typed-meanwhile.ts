/**
 * What a person typed in the agent's own program while a turn of ours ran. Claude does not lock its sessions: a screen
 * that is open beside the turn writes into the same history.
 */

import type { HistoryItem } from "./history.ts";

/** Programs also write in the user's name: notes in tags, or that the user interrupted the turn. */
const ofTheProgram = /^(<[a-z][\w-]*>|\[Request interrupted)/;

/**
 * The messages among `items`, which the history has gained, that are not of the turn. Empty if the turn's own prompt is
 * not among them, because then nothing tells the two apart.
 */
export function typedMeanwhile(
  items: readonly HistoryItem[],
  turn: { readonly prompts: readonly string[]; readonly answer: string | null },
): HistoryItem[] {
  const isOwn = ({ text }: HistoryItem) => turn.prompts.some((prompt) => text.includes(prompt));
  if (!items.some((item) => item.role === "user" && isOwn(item))) return [];
  const typed: HistoryItem[] = [];
  let beside = false;
  for (const item of items) {
    if (item.role === "user") beside = !isOwn(item) && !ofTheProgram.test(item.text);
    const answers = item.role === "assistant" && item.text.trim() !== turn.answer?.trim();
    if (beside && (item.role === "user" || answers)) typed.push(item);
  }
  return typed;
}
