/** One node of the graph with its state; a loop is a frame with a head. */

import { Badge } from "../parts/badge.tsx";
import type { LaidOutNode } from "./layout.ts";
import type { NodeState } from "./node-state.ts";

interface GraphBoxProps {
  readonly node: LaidOutNode;
  readonly state: NodeState;
  /** `until` or `continue`, if the node decides whether its loop ends. */
  readonly decides: string | null;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly place: { left: number; top: number; width: number; height: number };
}

const borders: Readonly<Record<NodeState["status"], string>> = {
  open: "border-line border-dashed",
  running: "border-live",
  retrying: "border-live",
  waiting: "border-care",
  done: "border-good",
  failed: "border-bad",
  skipped: "border-line border-dashed",
  cancelled: "border-line",
};

export function GraphBox({ node, state, decides, selected, onSelect, place }: GraphBoxProps) {
  const { status, outcome, times, iteration, denied } = state;
  const isLoop = node.type === "loop";
  const ring = selected ? "ring-2 ring-accent" : "";
  return (
    <div className="absolute" style={place}>
      {isLoop && (
        <div
          className={`pointer-events-none absolute inset-0 rounded-xl border-2 bg-sunken/60 ${borders[status]}`}
        />
      )}
      <button
        type="button"
        data-node={node.id}
        data-status={status}
        aria-pressed={selected}
        title={node.about}
        onClick={onSelect}
        className={
          isLoop
            ? `relative m-1.5 flex w-[calc(100%-0.75rem)] flex-col gap-1 rounded-lg px-2 py-1 text-left text-sm hover:bg-surface ${ring}`
            : `relative flex size-full flex-col justify-center gap-1 rounded-lg border-2 bg-surface px-2.5 text-left text-sm hover:bg-sunken ${borders[status]} ${ring}`
        }
      >
        <span className="font-medium">{node.label}</span>
        <span className="flex flex-wrap items-center gap-1 text-xs text-muted">
          {status === "open" ? <span>{node.type}</span> : <Badge word={status} />}
          {outcome && <Badge word={outcome} />}
          {denied > 0 && <Badge word="denied" title={`${denied} times not allowed`} />}
          {iteration !== null && <span>iteration {iteration}</span>}
          {!isLoop && times > 1 && <span>×{times}</span>}
          {decides && <span>{decides}</span>}
        </span>
      </button>
    </div>
  );
}
