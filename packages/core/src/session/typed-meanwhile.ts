/**
 * What a person typed in the agent's own program while a turn of ours ran. Claude does not lock its sessions: a screen
 * that is open beside the turn writes into the same history. If both write at the same time, they continue the same
 * message, and claude keeps only one of the two.
 */

import type { AbandonedText, HistoryItem } from "./history.ts";

/** Programs also write in the user's name: notes in tags, or that the user interrupted the turn. */
const ofTheProgram = /^(<[a-z][\w-]*>|\[Request interrupted)/;

interface TurnTexts {
  /** The turn's prompt, as it was given and as it was sent. */
  readonly prompts: readonly string[];
  readonly answer: string | null;
}

/** What the agent did not keep of what was sent while a turn ran. */
export interface NotKept {
  readonly typed: readonly string[];
  /** The turn itself: its prompt is only where the agent does not continue. */
  readonly turn: boolean;
}

/** `gained` is what the history has gained; `since` the size of the provider's file before the turn. */
export function notKept(
  abandoned: readonly AbandonedText[],
  gained: readonly HistoryItem[],
  { prompts }: TurnTexts,
  since: number,
): NotKept {
  const texts = abandoned.filter(({ end }) => end > since).map(({ text }) => text);
  const isKept = gained.some((item) => item.role === "user" && isOwn(item.text, prompts));
  return {
    typed: texts.filter((text) => !isOwn(text, prompts) && !ofTheProgram.test(text)),
    turn: !isKept && texts.some((text) => isOwn(text, prompts)),
  };
}

/**
 * The messages among `items`, which the history has gained, that are not of the turn. Empty if the turn's own prompt is
 * neither among them nor known to be abandoned, because then nothing tells the two apart.
 */
export function typedMeanwhile(
  items: readonly HistoryItem[],
  turn: TurnTexts,
  isAbandoned = false,
): HistoryItem[] {
  const isOf = ({ role, text }: HistoryItem) => role === "user" && isOwn(text, turn.prompts);
  if (!isAbandoned && !items.some(isOf)) return [];
  const typed: HistoryItem[] = [];
  let beside = false;
  for (const item of items) {
    if (item.role === "user") beside = !isOf(item) && !ofTheProgram.test(item.text);
    const answers = item.role === "assistant" && item.text.trim() !== turn.answer?.trim();
    if (beside && (item.role === "user" || answers)) typed.push(item);
  }
  return typed;
}

function isOwn(text: string, prompts: readonly string[]): boolean {
  return prompts.some((prompt) => text.includes(prompt));
}
