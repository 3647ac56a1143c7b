/** What the earlier launches of a turn mean for its next one, after an overflow or a compaction. */

import { overflowCode } from "@reprise/core/session/classify";
import { compactionOf } from "@reprise/core/session/compaction";
import { compactionCode } from "@reprise/core/session/decide";
import type { Decision, Notice } from "@reprise/core/session/decision";
import type { Attempt, Turn } from "@reprise/core/session/turn";
import { parkedAttempt } from "./answers.ts";

export function compacts({ decision }: Pick<Attempt, "decision">): boolean {
  return compactionOf(decision) !== null;
}

/** The attempts that ended since the turn was last answered. */
function endedAttempts(turn: Turn): readonly Attempt[] {
  const parked = parkedAttempt(turn)?.number ?? 0;
  return turn.attempts.filter(({ number, ending }) => number > parked && ending !== null);
}

/** How often the prompt has been sent, including `attempt`. */
export function promptNumber(turn: Turn, attempt: Pick<Attempt, "number">): number {
  const before = endedAttempts(turn).filter(({ number }) => number < attempt.number);
  return before.filter((each) => !compacts(each)).length + 1;
}

/** The agent's own program was asked to compact the session, successfully or not. */
export function triedToCompact(turn: Turn): boolean {
  return endedAttempts(turn).some(compacts);
}

/** The prompt did not fit when it was last sent, and the session has not been shortened since. */
export function overflowed(turn: Turn): boolean {
  const last = endedAttempts(turn).findLast(
    (attempt) => !compacts(attempt) || attempt.ending === "compacted",
  );
  return last?.error?.code === overflowCode;
}

/** A person who opens the session does not wait for a compaction: the next turn does it. */
export function withoutCompaction(decision: Decision): Decision {
  if (decision.outcome !== "resume") return decision;
  const { compact: _, prepare, notices, ...rest } = decision;
  return {
    ...rest,
    prepare: prepare.filter((each) => each !== "compact"),
    notices: notices.filter(({ code }) => code !== compactionCode),
  };
}

/**
 * Adds the notices from before a compaction to the turn: the decision after it would not find their
 * cause any more.
 */
export function withEarlierNotices<D extends Decision>(turn: Turn, decision: D): D {
  const known = new Set(decision.notices.map(({ code }) => code));
  const compactions = endedAttempts(turn).filter(compacts);
  const earlier = compactions.flatMap(({ decision: { notices }, ending }) =>
    notices.filter(({ code }) => code !== compactionCode || ending === "compacted"),
  );
  const cutOff =
    decision.outcome === "resume" &&
    compactions.some((each) => each.decision.outcome === "resume" && each.decision.cutOff);
  return withNotices(
    cutOff ? { ...decision, cutOff } : decision,
    earlier.filter(({ code }) => !known.has(code)),
  );
}

export function withNotices<D extends Decision>(decision: D, notices: readonly Notice[]): D {
  return { ...decision, notices: [...decision.notices, ...notices] };
}
