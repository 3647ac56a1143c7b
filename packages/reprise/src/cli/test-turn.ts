/** Turns for tests of how they are printed. */

import type { DecisionView, TurnResult } from "@reprise/core/api/reprise";

export function decision(view: Partial<DecisionView> = {}): DecisionView {
  return {
    outcome: "resume",
    reason: "all-hold",
    verdicts: [
      { guard: "policy", passed: true, held: true, stored: "resume", current: "resume (surface)" },
      { guard: "folder", passed: true, held: true, stored: "/project", current: "/project" },
    ],
    surface: "direct",
    mode: "resume",
    startupPrompt: "skip_intro",
    runFolder: "source",
    notices: [],
    ...view,
  };
}

/** A decision whose `guard` failed. */
export function failing(
  outcome: DecisionView["outcome"],
  guard: DecisionView["verdicts"][number]["guard"],
  stored: string,
  current: string,
): DecisionView {
  const verdicts = [{ guard, passed: false, held: false, stored, current }];
  return decision({ outcome, reason: guard, verdicts });
}

interface TestTurn extends Partial<Omit<TurnResult, "turn" | "attempts">> {
  readonly status?: TurnResult["turn"]["status"];
  readonly attemptTimes?: readonly (readonly [startedAt: number, endedAt: number])[];
  readonly ending?: string;
}

export function turnResult({ status, attemptTimes, ending, ...rest }: TestTurn): TurnResult {
  const attempts = (attemptTimes ?? []).map(([startedAt, endedAt], index) => ({
    number: index + 1,
    decision: decision(),
    argv: ["codex", "exec"],
    handle: null,
    exit: "0",
    ending: ending ?? "confirmed",
    error: null,
    usage: null,
    tools: false,
    denied: [],
    startedAt,
    endedAt,
  }));
  return {
    turn: { id: "turn-1", seq: 3, status: status ?? "done" },
    session: { key: "demo", agent: "coder", provider: "codex", epoch: 0 },
    prompt: "A prompt.",
    decision: decision(),
    attempts,
    asked: null,
    access: "edit",
    denied: [],
    output: "An answer.",
    error: null,
    usage: null,
    notices: [],
    ...rest,
  };
}
