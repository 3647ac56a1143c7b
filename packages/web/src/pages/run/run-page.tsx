/** One run: its graph as it stands, the execution that is looked at, and everything that happened. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { useSearchParams } from "wouter";
import { GraphDrawing } from "../../graph/graph.tsx";
import { useRun } from "../../hooks/use-run.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { LoadedPart } from "../../parts/loaded.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { ExecutionPanel } from "./execution-panel.tsx";
import { RunDetails } from "./run-details.tsx";
import { RunHeader } from "./run-header.tsx";
import { Waiting } from "./waiting.tsx";

export function RunPage({ run }: { readonly run: string }) {
  const query = useRun(run);
  return <LoadedPart query={query}>{(detail) => <Run run={detail} />}</LoadedPart>;
}

function Run({ run }: { readonly run: RunDetail }) {
  useTitle(run.workflow);
  const [query, setQuery] = useSearchParams();
  const wanted = query.get("execution");
  const execution = run.executions.find(({ id }) => id === wanted);
  const node = query.get("node") ?? execution?.node ?? null;
  const choose = (next: Record<string, string>) =>
    setQuery({ ...Object.fromEntries(tabOf(query)), ...next }, { replace: true });
  return (
    <div className="space-y-5">
      <RunHeader run={run} node={node} />
      {run.error && <ProblemNote error={run.error} />}
      {run.warnings
        .filter(({ code }) => code === "new-rule")
        .map(({ message }) => (
          <p key={message} className="text-sm text-muted">
            {message}
          </p>
        ))}
      <Waiting run={run} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <GraphDrawing run={run} selected={node} onSelect={(id) => choose({ node: id })} />
        <ExecutionPanel
          run={run}
          node={node}
          execution={execution ?? null}
          onSelect={(id) => choose({ execution: id })}
        />
      </div>
      <RunDetails run={run} />
    </div>
  );
}

function tabOf(query: URLSearchParams): [string, string][] {
  return [...query].filter(([name]) => name === "tab");
}
