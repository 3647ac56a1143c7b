/** How the answer to a parked turn reaches the agent: as the provider's own answer, else as text. */

import type { Decision } from "@reprise/core/session/decision";
import { notesBeside, renderAnswer } from "@reprise/core/session/question";
import type { Attempt, Turn } from "@reprise/core/session/turn";
import type { Answers } from "@reprise/providers/answers";

/** The attempt that asked last; null in a turn that never waited. */
export function parkedAttempt({ attempts }: Turn): Attempt | null {
  return attempts.findLast(({ ending }) => ending === "asked") ?? null;
}

/** The prompt of the next attempt: what was asked for, or the answer as a text. */
export function promptOf({ request, asked, answer }: Turn): string {
  return asked && answer ? renderAnswer(asked, answer) : request.prompt;
}

/**
 * What the provider session itself is answered; null where it did not ask: in a turn without a
 * question, or in another session than the one that waits.
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
