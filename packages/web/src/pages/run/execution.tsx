/** One execution of a node: its state and outputs, and the prompt, answer and decision of its turn. */

import type { ExecutionView } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { isRejected } from "../../graph/node-state.ts";
import { useTurn } from "../../hooks/use-turn.ts";
import { Badge } from "../../parts/badge.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { TextBlock } from "../../parts/text-block.tsx";
import { duration } from "../../parts/time.ts";
import { TurnWhy } from "../../parts/turn-why.tsx";
import { Values } from "../../parts/values.tsx";
import { ItemHere } from "../inbox/item-here.tsx";

export function ExecutionCard({ execution }: { readonly execution: ExecutionView }) {
  const { status, error, because, warnings, turn, outcome, outputs, item } = execution;
  return (
    <div className="space-y-4" data-execution={execution.id}>
      <Facts facts={factsOf(execution)} />
      {error && <ProblemNote error={error} />}
      {because && <p className="text-sm text-muted">Skipped: {because}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="text-sm text-care">
          {warning}
        </p>
      ))}
      {status === "waiting" && (item ?? turn) && (
        <div className="rounded-md border border-care p-3">
          <ItemHere id={(item ?? turn)!} />
        </div>
      )}
      {item && status !== "waiting" && (
        <Link href={`/inbox/${item}`} className="text-sm text-accent underline">
          Open approval
        </Link>
      )}
      {turn && <Transcript turn={turn} />}
      {turn && (
        <details className="rounded-md border border-line">
          <summary className="px-3 py-2 text-sm font-medium">
            {outcome === "resume" ? "Why it resumed" : "Why it did not resume"}
          </summary>
          <div className="border-t border-line p-3">
            <TurnWhy turn={turn} />
          </div>
        </details>
      )}
      {Object.keys(outputs).length > 0 && (
        <details className="rounded-md border border-line" open={turn === null}>
          <summary className="px-3 py-2 text-sm font-medium">Outputs</summary>
          <div className="border-t border-line p-3">
            <Values values={outputs} />
          </div>
        </details>
      )}
    </div>
  );
}

function factsOf(execution: ExecutionView): Fact[] {
  const { status, outcome, session, tokens, denied, startedAt, endedAt } = execution;
  return [
    [
      "State",
      <span key="state" className="space-x-1">
        <Badge word={isRejected(execution) ? "rejected" : status} />
        {outcome && <Badge word={outcome} />}
      </span>,
    ],
    ...(session !== null
      ? [
          [
            "Session",
            <Link
              key="session"
              href={`/sessions/${session}`}
              className="font-mono text-xs text-accent underline"
            >
              {session}
            </Link>,
          ] as const,
        ]
      : []),
    endedAt === null
      ? ["Running for", <Elapsed key="elapsed" since={startedAt} />]
      : ["Took", duration(endedAt - startedAt)],
    ...(tokens !== null ? [["Tokens", tokens] as const] : []),
    ...(denied.length > 0
      ? [
          [
            "Denied",
            <ul key="denied" className="font-mono text-xs">
              {[...new Set(denied)].map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>,
          ] as const,
        ]
      : []),
  ];
}

function Transcript({ turn }: { readonly turn: string }) {
  const { data } = useTurn(turn);
  if (!data) return null;
  return (
    <>
      <TextBlock label="Prompt" text={data.prompt} />
      {data.output !== null && <TextBlock label="Answer" text={data.output} />}
    </>
  );
}
