/** The executions of the selected node, and one of them in full. */

import type { ExecutionView, RunDetail } from "@reprise/core/api/reprise";
import { isRejected } from "../../graph/node-state.ts";
import { Badge } from "../../parts/badge.tsx";
import { Card } from "../../parts/card.tsx";
import { row } from "../../parts/row.ts";
import { ExecutionCard } from "./execution.tsx";

interface ExecutionPanelProps {
  readonly run: RunDetail;
  readonly node: string | null;
  readonly execution: ExecutionView | null;
  readonly onSelect: (execution: string) => void;
}

export function ExecutionPanel({ run, node, execution, onSelect }: ExecutionPanelProps) {
  const shownNode = run.graph.nodes.find(({ id }) => id === node);
  if (!shownNode)
    return (
      <Card title="Executions">
        <p className="text-sm text-muted">
          Select a node to see its prompt, its answer, and why its session was resumed or not.
        </p>
      </Card>
    );
  const executions = run.executions.filter((each) => each.node === node);
  const shown = execution ?? executions.at(-1) ?? null;
  return (
    <Card
      title={shownNode.label}
      beside={<span className="text-xs text-muted">{shownNode.about}</span>}
    >
      {shownNode.implied.length > 0 && (
        <ul aria-label="Implied" className="mb-4 list-disc pl-5 text-xs text-muted">
          {shownNode.implied.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      )}
      {executions.length > 1 && (
        <ul aria-label="Executions" className="mb-4 flex flex-wrap gap-2">
          {executions.map((each) => (
            <li key={each.id}>
              <button
                {...row}
                type="button"
                aria-pressed={each === shown}
                onClick={() => onSelect(each.id)}
                className={`flex min-h-8 items-center gap-1.5 rounded-md border px-2 py-1 text-xs ${each === shown ? "border-accent" : "border-line hover:bg-sunken"}`}
              >
                {nameOf(each)}{" "}
                <Badge word={each.outcome ?? (isRejected(each) ? "rejected" : each.status)} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {shown ? (
        <ExecutionCard execution={shown} />
      ) : (
        <p className="text-sm text-muted">Not started</p>
      )}
    </Card>
  );
}

function nameOf({ iterations, round, attempt }: ExecutionView): string {
  const words = [
    ...(iterations.length > 0 ? [`iteration ${iterations.join(".")}`] : []),
    ...(round > 0 ? [`round ${round}`] : []),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
  ];
  return words.join(", ") || "first";
}
