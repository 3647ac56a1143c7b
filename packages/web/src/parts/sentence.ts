/** A decision in words: the reason in a few, and all of it in one sentence. */

import type { DecisionView, VerdictView } from "@reprise/core/api/reprise";
import { takeoverText } from "@reprise/core/session/takeover";

/** What a list of turns has of a decision. */
interface Decided {
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly verdict: VerdictView | null;
}

/** `all guards pass`, `first turn`, `folder: /a → /b`. */
export function reasonWords({ outcome, reason, verdict }: Decided): string {
  if (reason === "all-hold") return "all guards pass";
  if (reason === "prior" && outcome === "blank") return "first turn";
  if (verdict) return `${verdict.guard}: ${verdict.stored} → ${verdict.current}`;
  return reason?.replaceAll("-", " ") ?? "";
}

const meanings: Readonly<Record<DecisionView["outcome"], string>> = {
  resume: "The provider session continues; only the new turn is sent",
  reseed: "A new provider session is sent the transcript",
  blank: "A new provider session starts without the transcript",
  refuse: "Nothing is started",
};

export function decisionSentence({ outcome, reason, verdicts, takeover }: DecisionView): string {
  if (takeover && (reason === "prior" || reason === "agent"))
    return `${meanings[outcome]} (${takeoverText(takeover)}).`;
  const verdict = verdicts.find(({ guard }) => guard === reason) ?? null;
  return `${meanings[outcome]} (${reasonWords({ outcome, reason, verdict })}).`;
}
