/** What would happen to the held sessions if the run went on now: shown before anybody answers. */

import type { Explanation } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { Badge } from "../../parts/badge.tsx";
import { DecisionTable } from "../../parts/decision.tsx";
import { decisionSentence } from "../../parts/sentence.ts";

export function Resumability({ explanations }: { readonly explanations: readonly Explanation[] }) {
  if (explanations.length === 0)
    return <p className="text-sm text-muted">No session waits with it.</p>;
  return (
    <section aria-label="Sessions that wait with it" className="space-y-2">
      <h3 className="text-sm font-semibold">If it goes on now</h3>
      {explanations.map(({ key, agent, decision }) => (
        <details key={key} className="rounded-md border border-line">
          <summary className="px-3 py-2 text-sm">
            <Badge word={decision.outcome} /> <span className="font-mono">{key}</span>{" "}
            <span className="text-muted">{decisionSentence(decision)}</span>
          </summary>
          <div className="space-y-3 border-t border-line p-3">
            <p className="text-sm">
              <Link href={`/sessions/${key}`} className="text-accent underline">
                Look at the session
              </Link>{" "}
              of {agent}
            </p>
            <DecisionTable decision={decision} told />
          </div>
        </details>
      ))}
    </section>
  );
}
