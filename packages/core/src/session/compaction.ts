/**
 * Compaction by the agent's own program: a launch like any other, but without the turn's prompt. Afterwards
 * the turn continues, with the shorter session or with a new one.
 */

import { type AttemptEvidence, type AttemptResult, classify, clause } from "./classify.ts";
import type { Compaction, Decision } from "./decision.ts";
import type { AttemptEnding } from "./turn.ts";

/** What the launch of a decision compacts; null when it sends the prompt. */
export function compactionOf(decision: Decision): Compaction | null {
  if (decision.outcome !== "resume" || !decision.prepare.includes("compact")) return null;
  return decision.compact ?? { focus: null };
}

/** Endings that say nothing about the session: the turn ends with them and can be sent again. */
const passing: readonly AttemptEnding[] = ["transient", "cancelled", "timed-out", "interrupted"];

/** The agent reported success. */
const answered: readonly AttemptEnding[] = ["confirmed", "ghost"];

export function classifyCompaction(
  evidence: AttemptEvidence,
  {
    summarised,
    overflowed,
  }: {
    /** The provider's history has a new summary; null if the provider has no readable history. */
    readonly summarised: boolean | null;
    /** The reason was a turn that did not fit into the model's context. */
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
      hint: "Nothing to do: the turn continued in a new session that begins with a summary.",
    },
    notice: null,
  };
}
