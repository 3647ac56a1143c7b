/** Turns and decisions as the public API shows them. */

import type { DecisionView, TurnResult } from "@reprise/core/api/reprise";
import type { Decision, Verdict } from "@reprise/core/session/decision";
import type { Turn } from "@reprise/core/session/turn";

export function decisionView(decision: Decision): DecisionView {
  const { verdicts, notices, ...rest } = decision;
  const view = { ...rest, verdicts: verdicts.map(verdictView), notices: [...notices] };
  return "prepare" in view ? { ...view, prepare: [...view.prepare] } : view;
}

/** `held` is the earlier name of `passed`, for callers that still read it. */
export function verdictView(verdict: Verdict) {
  return { ...verdict, held: verdict.passed };
}

export function turnResult(turn: Turn): TurnResult {
  const { request, attempts, output, error, usage, notices } = turn;
  const last = attempts.at(-1);
  return {
    turn: { id: turn.id, seq: turn.seq, status: turn.status },
    session: {
      key: request.key,
      agent: request.agent,
      provider: turn.provider,
      epoch: turn.epoch,
    },
    prompt: request.prompt,
    decision: last ? decisionView(last.decision) : null,
    attempts: attempts.map(({ launch: _, ...attempt }) => ({
      ...attempt,
      denied: [...attempt.denied],
      argv: attempt.argv ? [...attempt.argv] : null,
      decision: decisionView(attempt.decision),
    })),
    asked:
      turn.status === "waiting" && turn.asked
        ? { ...turn.asked, lost: [...turn.asked.lost] }
        : null,
    access: attempts.findLast(({ launch }) => launch?.access)?.launch?.access ?? null,
    denied: attempts.flatMap(({ denied }) => [...denied]),
    output,
    error,
    usage,
    notices: [...notices],
  };
}
