/** A run: its workflow, status and times, and the actions on it. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { Link } from "wouter";
import { useMay } from "../../hooks/use-caller.ts";
import { useRunAction } from "../../hooks/use-run-action.ts";
import { Ago } from "../../parts/ago.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Elapsed } from "../../parts/elapsed.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { duration } from "../../parts/time.ts";

interface RunHeaderProps {
  readonly run: RunDetail;
  /** The selected node, to rerun from. */
  readonly node: string | null;
}

export function RunHeader({ run, node }: RunHeaderProps) {
  const action = useRunAction(run.id);
  const mayOperate = useMay("operator");
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
        {run.stalled && <Badge word="stalled" title="No process is driving this run." />}
      </div>
      <p className="flex flex-wrap gap-x-3 text-sm text-muted">
        <span className="font-mono text-xs leading-5">{run.id}</span>
        <span>
          started <Ago at={run.startedAt} />
        </span>
        {run.endedAt !== null && <span>took {duration(run.endedAt - run.startedAt)}</span>}
        {run.status === "running" && (
          <span>
            running for <Elapsed since={run.startedAt} />
          </span>
        )}
      </p>
      {run.status === "stuck" && run.waitsFor[0] !== undefined && (
        <p className="text-sm text-bad">
          Reprise could not continue this run.{" "}
          <Link href={`/inbox/${run.waitsFor[0]}`} className="text-accent underline">
            See why, then retry or cancel it
          </Link>
        </p>
      )}
      {mayOperate && <RunActions run={run} node={node} action={action} />}
      <ProblemNote error={action.error} />
    </header>
  );
}

interface RunActionsProps extends RunHeaderProps {
  readonly action: ReturnType<typeof useRunAction>;
}

function RunActions({ run, node, action }: RunActionsProps) {
  const isOver = run.endedAt !== null;
  const rejected = run.status === "rejected";
  const failed = rejected || run.status === "failed" || run.status === "cancelled";
  return (
    <div className="flex flex-wrap gap-2">
      {!isOver && (
        <ConfirmButton
          label="Cancel"
          question="Cancel this run?"
          about="Its agents and scripts are stopped. Its sessions stay, and you can rerun it."
          confirm="Yes, cancel it"
          disabled={action.isPending}
          onConfirm={() => action.mutate({ do: "cancel" })}
        />
      )}
      {run.stalled && (
        <Button disabled={action.isPending} onClick={() => action.mutate({ do: "continue" })}>
          Continue
        </Button>
      )}
      {isOver && failed && (
        <ConfirmButton
          primary
          label={rejected ? "Ask again" : "Rerun what failed"}
          question={rejected ? "Ask for approval again?" : "Rerun what failed?"}
          about={
            rejected
              ? "The rejected gate is opened again. Nodes that are done stay done."
              : "Nodes that failed or were cancelled run again. Nodes that are done stay done."
          }
          confirm={rejected ? "Yes, ask again" : "Yes, rerun"}
          disabled={action.isPending}
          onConfirm={() => action.mutate({ do: "rerun" })}
        />
      )}
      {isOver && node !== null && (
        <ConfirmButton
          label={`Rerun from ${node}`}
          question={`Rerun from ${node}?`}
          about={`${node} and every node after it run again. Agents may change files again.`}
          confirm="Yes, rerun"
          disabled={action.isPending}
          onConfirm={() => action.mutate({ do: "rerun", from: node })}
        />
      )}
      {isOver && (
        <ConfirmButton
          label="Rerun from the start"
          question="Rerun from the start?"
          about="Every node runs again. Agents may change files again."
          confirm="Yes, rerun"
          disabled={action.isPending}
          onConfirm={() => action.mutate({ do: "rerun", fromStart: true })}
        />
      )}
    </div>
  );
}
