/** One execution of a node: its state, its outputs, and the transcript and decision of its turn. */

import type { ExecutionView } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { useSession } from "../../hooks/use-session.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { TextBlock } from "../../parts/text-block.tsx";
import { duration } from "../../parts/time.ts";
import { TurnWhy } from "../../parts/turn-why.tsx";
import { Values } from "../../parts/values.tsx";

export function ExecutionCard({ execution }: { readonly execution: ExecutionView }) {
  const { error, because, warnings, turn, session, outputs, item } = execution;
  return (
    <div className="space-y-4" data-execution={execution.id}>
      <Facts facts={factsOf(execution)} />
      {error && <ProblemNote error={error} />}
      {because && <p className="text-sm text-muted">{because}</p>}
      {warnings.map((warning) => (
        <p key={warning} className="text-sm text-care">
          {warning}
        </p>
      ))}
      {item && (
        <Link href={`/inbox/${item}`} className="text-sm text-accent underline">
          Look at the gate
        </Link>
      )}
      {turn && session && <Transcript sessionKey={session} turn={turn} />}
      {turn && (
        <details className="rounded-md border border-line">
          <summary className="px-3 py-2 text-sm font-medium">Why its session went on so</summary>
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
        <Badge word={status} />
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
    ...(endedAt !== null ? [["Took", duration(endedAt - startedAt)] as const] : []),
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

interface TranscriptProps {
  readonly sessionKey: string;
  readonly turn: string;
}

/** The session has the words of its recent turns. */
function Transcript({ sessionKey, turn }: TranscriptProps) {
  const { data } = useSession(sessionKey);
  const said = data?.recent.find(({ id }) => id === turn);
  if (!said) return null;
  return (
    <>
      <TextBlock label="Prompt" text={said.prompt} />
      {said.output !== null && <TextBlock label="Answer" text={said.output} />}
    </>
  );
}
