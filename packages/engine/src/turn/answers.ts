/** How the answer to a parked turn reaches the agent: as the provider's own answer, otherwise as text. */

import type { Decision } from "@reprise/core/session/decision";
import { notesBeside, renderAnswer } from "@reprise/core/session/question";
import type { Attempt, Turn } from "@reprise/core/session/turn";
import type { Answers } from "@reprise/providers/answers";

/** The attempt that asked last; null in a turn that never waited. */
export function parkedAttempt({ attempts }: Turn): Attempt | null {
  return attempts.findLast(({ ending }) => ending === "asked") ?? null;
}

/** The prompt of the next attempt: the turn's own prompt, or the answer as text. */
export function promptOf({ request, asked, answer }: Turn): string {
  return asked && answer ? renderAnswer(asked, answer) : request.prompt;
}

/**
 * The answer in the provider's own form. Null if this provider session did not ask: the turn has no
 * question, or another session asked it.
 */
export function answersFor(turn: Turn, decision: Decision): Answers | null {
  const { asked, answer } = turn;
  const parked = parkedAttempt(turn);
  if (asked === null || answer === null || decision.outcome !== "resume") return null;
  if (decision.handle.id !== parked?.handle || decision.catchUp > 0) return null;
  const note = notesBeside(answer, asked.lost).join("\n\n");
  return {
    [asked.question.id]: note ? { ...answer, note } : answer,
  };
}
