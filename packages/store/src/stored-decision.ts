/** Reads a decision as it was stored: schemas up to 11 called a verdict's `passed` `held`. */

import type { Decision, Verdict } from "@reprise/core/session/decision";

type StoredVerdict = Omit<Verdict, "passed"> &
  ({ readonly passed: boolean } | { readonly held: boolean });

export function storedDecision(json: string): Decision {
  const decision = JSON.parse(json) as Decision & { readonly verdicts: readonly StoredVerdict[] };
  return { ...decision, verdicts: decision.verdicts.map(verdictFrom) };
}

function verdictFrom(stored: StoredVerdict): Verdict {
  if ("passed" in stored) return stored;
  const { held, ...verdict } = stored;
  return { ...verdict, passed: held };
}
