/**
 * Reads a decision as it was stored. Schemas up to 11 called a verdict's `passed` `held`. Older versions
 * recorded only in a notice that an unconfirmed turn was kept.
 */

import type { Decision, Verdict } from "@reprise/core/session/decision";

type StoredVerdict = Omit<Verdict, "passed"> &
  ({ readonly passed: boolean } | { readonly held: boolean });

export function storedDecision(json: string): Decision {
  const decision = JSON.parse(json) as Decision & { readonly verdicts: readonly StoredVerdict[] };
  const verdicts = decision.verdicts.map(verdictFrom);
  if (decision.outcome !== "resume") return { ...decision, verdicts };
  const { keepsUnconfirmed = decision.notices.some(({ code }) => code === "unconfirmed-kept") } =
    decision;
  return { ...decision, verdicts, keepsUnconfirmed };
}

function verdictFrom(stored: StoredVerdict): Verdict {
  if ("passed" in stored) return stored;
  const { held, ...verdict } = stored;
  return { ...verdict, passed: held };
}
