/** The turns of a session, newest first: the outcome of each with its reason, and unfolded, all guards. */

import type { TurnSummary } from "@reprise/core/api/reprise";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import { useMay } from "../../hooks/use-caller.ts";
import { useCancelTurn } from "../../hooks/use-cancel-turn.ts";
import { useLinkedTurn } from "../../hooks/use-linked-turn.ts";
import { useTurns } from "../../hooks/use-turns.ts";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { Empty } from "../../parts/empty.tsx";
import { LoadingNote } from "../../parts/loading.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { row } from "../../parts/row.ts";
import { reasonWords } from "../../parts/sentence.ts";
import { TextBlock } from "../../parts/text-block.tsx";
import { TurnWhy } from "../../parts/turn-why.tsx";
import { ItemHere } from "../inbox/item-here.tsx";

interface TimelineProps {
  readonly sessionKey: string;
  /** How many turns have ended. */
  readonly finished: number;
}

export function Timeline({ sessionKey, finished }: TimelineProps) {
  const [query, setQuery] = useSearchParams();
  const open = query.get("turn");
  const list = useTurns(sessionKey);
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = list;
  const turns = data?.pages.flat() ?? [];
  const problem = useLinkedTurn(sessionKey, open, list);
  // A link to a turn moves the focus to it.
  const [arrived, setArrived] = useState(open);
  const showEarlier = async () => {
    if (isFetchingNextPage) return;
    const { data: now, isError } = await fetchNextPage();
    // The button may be gone, and the focus of the keyboard with it.
    if (!isError) setArrived(now?.pages.at(-1)?.[0]?.id ?? turns.at(-1)?.id ?? null);
  };
  // A turn that runs or waits has not ended, and is in the list.
  const total = hasNextPage ? Math.max(finished, turns[0]?.seq ?? 0) : turns.length;
  return (
    <section aria-label="Turns" className="min-w-0 space-y-2">
      <h2 className="font-semibold">
        Turns {data && <span className="font-normal text-muted">({total})</span>}
      </h2>
      {isPending && <LoadingNote />}
      <ProblemNote error={problem} />
      {data && turns.length === 0 && <Empty title="No turns yet." />}
      <ol className="space-y-2">
        {turns.map((turn) => (
          <Turn
            key={turn.id}
            turn={turn}
            sessionKey={sessionKey}
            open={turn.id === open}
            arrived={turn.id === arrived}
            toggle={() => setQuery(turn.id === open ? {} : { turn: turn.id }, { replace: true })}
          />
        ))}
      </ol>
      <ProblemNote error={error} />
      {hasNextPage && (
        <Button className="w-full sm:w-auto" onClick={() => void showEarlier()}>
          {isFetchingNextPage ? "Loading…" : "Earlier turns"}
        </Button>
      )}
    </section>
  );
}

interface TurnProps {
  readonly turn: TurnSummary;
  readonly sessionKey: string;
  readonly open: boolean;
  /** The turn of a link, or the first of a page that was just loaded: it gets the focus. */
  readonly arrived: boolean;
  readonly toggle: () => void;
}

function Turn({ turn, sessionKey, open, arrived, toggle }: TurnProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (arrived) button.current?.focus();
  }, [arrived]);
  const { id, seq, outcome, status, cancelledBy, takenBack } = turn;
  const { prompt, output, openedAt, endedAt } = turn;
  const isRunning = status === "running" || status === "queued";
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
        <span className="text-muted">{reasonWords(turn)}</span>
        {status !== "done" && <Badge word={status} />}
        {cancelledBy && <span className="text-muted">by {cancelledBy}</span>}
        {takenBack && <span className="text-muted">rewound</span>}
        <span className="ml-auto text-xs text-muted">
          {isRunning && endedAt === null ? <Elapsed since={openedAt} /> : <Ago at={openedAt} />}
        </span>
        <span className="w-full">{firstLine(prompt)}</span>
        {output && !open && <span className="w-full text-muted">{firstLine(output)}</span>}
      </button>
      {status === "waiting" && (
        <div className="border-t border-line p-4">
          <ItemHere id={id} />
        </div>
      )}
      {(isRunning || status === "waiting") && <CancelTurn turn={id} sessionKey={sessionKey} />}
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

function CancelTurn({ turn, sessionKey }: { readonly turn: string; readonly sessionKey: string }) {
  const cancel = useCancelTurn(turn, sessionKey);
  if (!useMay("operator")) return null;
  return (
    <div className="space-y-2 border-t border-line px-4 py-2">
      <ConfirmButton
        label="Cancel turn"
        question="Cancel this turn?"
        about="Its agent is stopped. The session stays, and you can send to it again."
        confirm="Yes, cancel it"
        disabled={cancel.isPending}
        onConfirm={() => cancel.mutate()}
      />
      <ProblemNote error={cancel.error} />
    </div>
  );
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
