/** The turns of a session, newest first: how each went on, and unfolded, why. */

import type { SessionDetail } from "@reprise/core/api/reprise";
import { useSearchParams } from "wouter";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { row } from "../../parts/row.ts";
import { TextBlock } from "../../parts/text-block.tsx";
import { TurnWhy } from "../../parts/turn-why.tsx";

type Summary = SessionDetail["recent"][number];

interface TimelineProps {
  readonly turns: readonly Summary[];
  readonly total: number;
}

export function Timeline({ turns, total }: TimelineProps) {
  const [query, setQuery] = useSearchParams();
  const open = query.get("turn");
  const newestFirst = turns.toSorted((one, other) => other.seq - one.seq);
  return (
    <section aria-label="Turns" className="min-w-0 space-y-2">
      <h2 className="font-semibold">
        Turns <span className="font-normal text-muted">({total})</span>
      </h2>
      {turns.length === 0 && <Empty title="There is no turn yet." />}
      <ol className="space-y-2">
        {newestFirst.map((turn) => (
          <Turn
            key={turn.id}
            turn={turn}
            open={turn.id === open}
            toggle={() => setQuery(turn.id === open ? {} : { turn: turn.id }, { replace: true })}
          />
        ))}
      </ol>
      {total > turns.length && (
        <p className="text-sm text-muted">Older turns: reprise sessions show, with --json.</p>
      )}
    </section>
  );
}

interface TurnProps {
  readonly turn: Summary;
  readonly open: boolean;
  readonly toggle: () => void;
}

function Turn({ turn, open, toggle }: TurnProps) {
  const { id, seq, outcome, reason, status, prompt, output, openedAt } = turn;
  return (
    <li data-turn={id} className="rounded-lg border border-line bg-surface">
      <button
        {...row}
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex w-full flex-wrap items-baseline gap-x-3 gap-y-1 rounded-lg px-4 py-2.5 text-left text-sm hover:bg-sunken"
      >
        <span className="font-mono text-muted">#{seq}</span>
        {outcome && <Badge word={outcome} />}
        {status !== "done" && <Badge word={status} />}
        {reason && <span className="text-muted">{reason}</span>}
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
