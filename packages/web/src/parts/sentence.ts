/** A decision in one sentence. */

import type { DecisionView } from "@reprise/core/api/reprise";

const meanings: Readonly<Record<DecisionView["outcome"], string>> = {
  resume: "The provider session goes on; only the new turn is sent.",
  reseed: "A new provider session is sent the transcript",
  blank: "A new provider session begins with nothing of what was said",
  refuse: "Nothing is started",
};

export function decisionSentence({ outcome, reason, verdicts }: DecisionView): string {
  if (outcome === "resume") return meanings.resume;
  const failing = verdicts.find(({ guard, passed }) => guard === reason && !passed);
  const why = failing
    ? `${failing.guard}: stored ${failing.stored}, now ${failing.current}`
    : reason;
  return `${meanings[outcome]} (${why}).`;
}
