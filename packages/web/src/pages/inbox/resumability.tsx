/** What would happen to the held sessions if the run continued now, shown before the answer. */

import type { Explanation } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { Badge } from "../../parts/badge.tsx";
import { DecisionTable } from "../../parts/decision.tsx";
import { decisionSentence } from "../../parts/sentence.ts";

export function Resumability({ explanations }: { readonly explanations: readonly Explanation[] }) {
  if (explanations.length === 0)
    return <p className="text-sm text-muted">No session is held for this item.</p>;
  return (
    <section aria-label="Held sessions" className="space-y-2">
      <h3 className="text-sm font-semibold">If you approve now</h3>
      {explanations.map(({ key, agent, decision }) => (
        <details key={key} className="rounded-md border border-line">
          <summary className="px-3 py-2 text-sm">
            <Badge word={decision.outcome} /> <span className="font-mono">{key}</span>{" "}
            <span className="text-muted">{decisionSentence(decision)}</span>
          </summary>
          <div className="space-y-3 border-t border-line p-3">
            <p className="text-sm">
              <Link href={`/sessions/${key}`} className="text-accent underline">
                Open session
              </Link>{" "}
              of {agent}
            </p>
            <DecisionTable decision={decision} withoutOutcome />
          </div>
        </details>
      ))}
    </section>
  );
}
