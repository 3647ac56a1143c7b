/**
 * Compaction by the agent's own program: a launch like any other, which sends no prompt of the turn. What
 * follows from it is that the turn goes on, with the session made shorter, or without it.
 */

import { type AttemptEvidence, type AttemptResult, classify, clause } from "./classify.ts";
import type { Compaction, Decision } from "./decision.ts";
import type { AttemptEnding } from "./turn.ts";

/** What the launch of a decision compacts; null when it sends the prompt. */
export function compactionOf(decision: Decision): Compaction | null {
  if (decision.outcome !== "resume" || !decision.prepare.includes("compact")) return null;
  return decision.compact ?? { focus: null };
}

/** Nothing is wrong with the session: the turn ends as any other does then, and may be sent again. */
const passing: readonly AttemptEnding[] = ["transient", "cancelled", "timed-out", "interrupted"];

/** Said by the agent to be done. */
const answered: readonly AttemptEnding[] = ["confirmed", "ghost"];

export function classifyCompaction(
  evidence: AttemptEvidence,
  {
    summarised,
    overflowed,
  }: {
    /** The provider's history has a new summary; null where it has no witness. */
    readonly summarised: boolean | null;
    /** It was to help a turn that did not fit. */
    readonly overflowed: boolean;
  },
): AttemptResult {
  const found = classify({ ...evidence, compacts: false }, { silent: true });
  if (passing.includes(found.ending)) return found;
  const done = answered.includes(found.ending);
  if (done && summarised !== false)
    return {
      ending: "compacted",
      status: "again",
      pin: "advance",
      retire: null,
      strike: false,
      error: null,
      notice: null,
    };

  const said = evidence.seen.failure?.message ?? found.error?.message ?? "it asked a question";
  const why = done ? "its history has no summary" : clause(said);
  return {
    ending: done ? "failed" : found.ending,
    status: "again",
    pin: "residue",
    retire: found.retire ?? (overflowed ? "overflow: it could not be compacted" : null),
    strike: false,
    error: {
      code: "not-compacted",
      message: `The agent did not compact its session: ${why}.`,
      hint: "Nothing to do: the turn went on with a new session that begins with a summary.",
    },
    notice: null,
  };
}
