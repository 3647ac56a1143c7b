/** The turns of a session, newest first: how each went on, and unfolded, why. */

import type { TurnSummary } from "@reprise/core/api/reprise";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { useLinkedTurn } from "../../hooks/use-linked-turn.ts";
import { useTurns } from "../../hooks/use-turns.ts";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { row } from "../../parts/row.ts";
import { TextBlock } from "../../parts/text-block.tsx";
import { TurnWhy } from "../../parts/turn-why.tsx";

interface TimelineProps {
  readonly sessionKey: string;
  readonly total: number;
}

export function Timeline({ sessionKey, total }: TimelineProps) {
  const [query, setQuery] = useSearchParams();
  const open = query.get("turn");
  const list = useTurns(sessionKey);
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  const turns = data?.pages.flat() ?? [];
  const problem = useLinkedTurn(sessionKey, open, list);
  // Whoever follows a link to a turn is led to it.
  const [arrived, setArrived] = useState(open);
  const showEarlier = async () => {
    if (isFetchingNextPage) return;
    const { data: now, isError } = await fetchNextPage();
    // The button may be gone, and whoever pressed it by a key must not be lost with it.
    if (!isError) setArrived(now?.pages.at(-1)?.[0]?.id ?? turns.at(-1)?.id ?? null);
  };
  return (
    <section aria-label="Turns" className="min-w-0 space-y-2">
      <h2 className="font-semibold">
        Turns <span className="font-normal text-muted">({total})</span>
      </h2>
      {isPending && (
        <p role="status" className="text-sm text-muted">
          Loading …
        </p>
      )}
      <ProblemNote error={problem} />
      {data && turns.length === 0 && <Empty title="There is no turn yet." />}
      <ol className="space-y-2">
        {turns.map((turn) => (
          <Turn
            key={turn.id}
            turn={turn}
            open={turn.id === open}
            arrived={turn.id === arrived}
            toggle={() => setQuery(turn.id === open ? {} : { turn: turn.id }, { replace: true })}
          />
        ))}
      </ol>
      <ProblemNote error={error} />
      {hasNextPage && (
        <Button className="w-full sm:w-auto" onClick={() => void showEarlier()}>
          {isFetchingNextPage ? "Loading …" : "Earlier turns"}
        </Button>
      )}
    </section>
  );
}

interface TurnProps {
  readonly turn: TurnSummary;
  readonly open: boolean;
  /** The one that a link named, or the first of those that were asked for: it gets the focus. */
  readonly arrived: boolean;
  readonly toggle: () => void;
}

function Turn({ turn, open, arrived, toggle }: TurnProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (arrived) button.current?.focus();
  }, [arrived]);
  const { id, seq, outcome, reason, status, cancelledBy, takenBack } = turn;
  const { prompt, output, openedAt } = turn;
  return (
    <li data-turn={id} className="rounded-lg border border-line bg-surface">
      <button
        {...row}
        ref={button}
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex w-full flex-wrap items-baseline gap-x-3 gap-y-1 rounded-lg px-4 py-2.5 text-left text-sm hover:bg-sunken"
      >
        <span className="font-mono text-muted">#{seq}</span>
        {outcome && <Badge word={outcome} />}
        {reason && <span className="text-muted">{reason}</span>}
        {status !== "done" && <Badge word={status} />}
        {cancelledBy && <span className="text-muted">by {cancelledBy}</span>}
        {takenBack && <span className="text-muted">taken back</span>}
        <span className="ml-auto text-xs text-muted">
          <Ago at={openedAt} />
        </span>
        <span className="w-full">{firstLine(prompt)}</span>
      </button>
      {open && (
        <div className="space-y-4 border-t border-line p-4">
          <TextBlock label="Prompt" text={prompt} />
          {output !== null && <TextBlock label="Answer" text={output} />}
          <TurnWhy turn={id} />
        </div>
      )}
    </li>
  );
}

function firstLine(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
