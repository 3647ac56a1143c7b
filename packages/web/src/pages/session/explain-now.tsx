/** What the next turn would decide now, and why. Changes nothing. */

import { useExplanation } from "../../hooks/use-explanation.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { DecisionTable } from "../../parts/decision.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

export function ExplainNow({ sessionKey }: { readonly sessionKey: string }) {
  const explanation = useExplanation(sessionKey);
  return (
    <Card
      title="Next turn"
      beside={
        <Button disabled={explanation.isPending} onClick={() => explanation.mutate()}>
          Explain now
        </Button>
      }
    >
      <ProblemNote error={explanation.error} />
      {explanation.data ? (
        <>
          <DecisionTable decision={explanation.data.decision} />
          {explanation.data.heldBy && (
            <p className="mt-2 text-sm text-muted">
              In use by turn {explanation.data.heldBy.turn} ({explanation.data.heldBy.status}).
            </p>
          )}
        </>
      ) : (
        <p className="text-sm text-muted">
          Checks every guard as the next turn would. Changes nothing.
        </p>
      )}
    </Card>
  );
}
