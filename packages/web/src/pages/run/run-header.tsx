/** What a run is, how it stands, and what can be done with it. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { useNow } from "../../hooks/use-now.ts";
import { useRunAction } from "../../hooks/use-run-action.ts";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { duration } from "../../parts/time.ts";

interface RunHeaderProps {
  readonly run: RunDetail;
  /** The node that is looked at, to run again from. */
  readonly node: string | null;
}

export function RunHeader({ run, node }: RunHeaderProps) {
  const now = useNow(1_000);
  const action = useRunAction(run.id);
  const isOver = run.endedAt !== null;
  const rejected = run.status === "rejected";
  const failed = rejected || run.status === "failed" || run.status === "cancelled";
  return (
    <header className="space-y-3">
      <p className="text-sm">
        <Link href="/runs" className="text-accent underline">
          Runs
        </Link>
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="text-xl font-semibold">{run.workflow}</h1>
        <Badge word={run.status} />
        {run.stalled && <Badge word="stalled" title="Nobody carries it on." />}
      </div>
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        <span className="font-mono text-xs leading-5">{run.id}</span>
        <span>
          started <Ago at={run.startedAt} />
        </span>
        <span>
          {isOver ? "took" : "for"} {duration((run.endedAt ?? now) - run.startedAt)}
        </span>
      </p>
      {run.status === "stuck" && run.waitsFor[0] !== undefined && (
        <p className="text-sm text-bad">
          Reprise could not advance it.{" "}
          <Link href={`/inbox/${run.waitsFor[0]}`} className="text-accent underline">
            See why, then retry or cancel it
          </Link>
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {!isOver && (
          <Button disabled={action.isPending} onClick={() => action.mutate({ do: "cancel" })}>
            Cancel
          </Button>
        )}
        {run.stalled && (
          <Button disabled={action.isPending} onClick={() => action.mutate({ do: "carry-on" })}>
            Carry on
          </Button>
        )}
        {isOver && failed && (
          <Button
            primary
            disabled={action.isPending}
            onClick={() => action.mutate({ do: "rerun" })}
          >
            {rejected ? "Ask again" : "Rerun what failed"}
          </Button>
        )}
        {isOver && node !== null && (
          <Button
            disabled={action.isPending}
            onClick={() => action.mutate({ do: "rerun", from: node })}
          >
            Rerun from {node}
          </Button>
        )}
        {isOver && (
          <Button
            disabled={action.isPending}
            onClick={() => action.mutate({ do: "rerun", fromStart: true })}
          >
            Rerun from the start
          </Button>
        )}
      </div>
      <ProblemNote error={action.error} />
    </header>
  );
}
