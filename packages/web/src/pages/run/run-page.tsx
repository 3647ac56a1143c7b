/** One run: its graph with the current states, the selected execution, and its events. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { useRef } from "react";
import { useSearchParams } from "wouter";
import { GraphDrawing } from "../../graph/graph.tsx";
import { useLayout } from "../../graph/use-layout.ts";
import { useRun } from "../../hooks/use-run.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { LoadedPart } from "../../parts/loaded.tsx";
import { ProblemNote, type ShownProblem } from "../../parts/problem-note.tsx";
import { ExecutionPanel } from "./execution-panel.tsx";
import { RunDetails } from "./run-details.tsx";
import { RunHeader } from "./run-header.tsx";
import { Waiting } from "./waiting.tsx";

/** A larger graph gets the whole width, with the panel below it. */
const maxNodesBeside = 12;
const maxWidthBeside = 600;

export function RunPage({ run }: { readonly run: string }) {
  const query = useRun(run);
  return <LoadedPart query={query}>{(detail) => <Run run={detail} />}</LoadedPart>;
}

function Run({ run }: { readonly run: RunDetail }) {
  useTitle(run.workflow);
  const [query, setQuery] = useSearchParams();
  const wanted = query.get("execution");
  const execution = run.executions.find(({ id }) => id === wanted);
  const node = query.get("node") ?? execution?.node ?? nodeToShow(run);
  const panel = useRef<HTMLDivElement>(null);
  const drawn = useLayout(run);
  const isLarge = drawn.width > maxWidthBeside || run.graph.nodes.length > maxNodesBeside;
  const choose = (next: Record<string, string>) =>
    setQuery({ ...Object.fromEntries(tabOf(query)), ...next }, { replace: true });
  return (
    <div className="space-y-5">
      <RunHeader run={run} node={node} />
      <ProblemNote error={problemOf(run, node)} />
      {run.warnings
        .filter(({ code }) => code === "new-rule")
        .map(({ message }) => (
          <p key={message} className="text-sm text-muted">
            {message}
          </p>
        ))}
      <Waiting run={run} />
      <div
        className={`grid items-start gap-5 ${isLarge ? "grid-cols-[minmax(0,1fr)]" : "grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]"}`}
      >
        <GraphDrawing
          run={run}
          drawn={drawn}
          selected={node}
          onSelect={(id) => {
            choose({ node: id });
            bringIntoView(panel.current);
          }}
        />
        <div ref={panel} className="min-w-0 scroll-mt-4">
          <ExecutionPanel
            run={run}
            node={node}
            execution={execution ?? null}
            onSelect={(id) => choose({ execution: id })}
          />
        </div>
      </div>
      <RunDetails run={run} />
    </div>
  );
}

/** What a reader looks for first: the node that failed, or the one that waits. */
function nodeToShow({ status, executions }: RunDetail): string | null {
  const wanted = status === "failed" ? "failed" : status === "waiting" ? "waiting" : null;
  const found = executions.findLast((each) => each.status === wanted && each.type !== "loop");
  return found?.node ?? null;
}

/** Without the hint where the selected node shows it. */
function problemOf({ error, executions }: RunDetail, node: string | null): ShownProblem | null {
  const shown = executions.findLast((each) => each.node === node)?.error;
  return error && shown && error.message.includes(shown.message)
    ? { message: error.message }
    : error;
}

/** On a narrow screen the panel is below the graph, out of sight. */
function bringIntoView(panel: HTMLElement | null): void {
  const top = panel?.getBoundingClientRect().top ?? 0;
  if (top > window.innerHeight * 0.8) panel?.scrollIntoView({ block: "start" });
}

function tabOf(query: URLSearchParams): [string, string][] {
  return [...query].filter(([name]) => name === "tab");
}
