/** The graph of a run with the current states: nodes to select, loops as frames, lines between them. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { GraphBox } from "./graph-box.tsx";
import { GraphViewport } from "./graph-viewport.tsx";
import { type Box, type Layout, nodeHeight } from "./layout.ts";
import { nodeStates } from "./node-state.ts";
import { pathOf } from "./path.ts";

interface GraphProps {
  readonly run: RunDetail;
  readonly drawn: Layout;
  readonly selected: string | null;
  readonly onSelect: (node: string) => void;
}

const margin = 8;

export function GraphDrawing({ run, drawn, selected, onSelect }: GraphProps) {
  const { executions } = run;
  const stateOf = nodeStates(executions);
  const decides = new Map(
    run.graph.edges
      .filter(({ from, to }) => parentOf(run, from) === to)
      .map(({ from, label }) => [from, label]),
  );
  const shown = drawn.boxes.find(({ node }) => node.id === selected);
  const focus = shown ? { x: shown.x + shown.width / 2, y: shown.y + nodeHeight / 2 } : null;
  const box = ({ node, x, y, width, height }: Box) => (
    <GraphBox
      key={node.id}
      node={node}
      state={stateOf(node.id)}
      decides={decides.get(node.id) ?? null}
      selected={node.id === selected}
      onSelect={() => onSelect(node.id)}
      place={{ left: x + margin, top: y + margin, width, height }}
    />
  );
  const size = { width: drawn.width + 2 * margin, height: drawn.height + 2 * margin };
  // Lines are above the frames of loops and below nodes, so that they never cover a label.
  return (
    <GraphViewport {...size} focus={focus}>
      {drawn.boxes.filter(({ node }) => node.type === "loop").map(box)}
      <svg
        aria-hidden="true"
        className="pointer-events-none absolute inset-0 overflow-visible"
        {...size}
      >
        <defs>
          {["line", "back"].map((kind) => (
            <marker
              key={kind}
              id={`arrow-${kind}`}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 8 4 0 8z" className={kind === "back" ? "fill-care" : "fill-muted"} />
            </marker>
          ))}
        </defs>
        <g transform={`translate(${margin} ${margin})`} fill="none" strokeWidth="1.5">
          {drawn.lines.map(({ edge, points }) => (
            <path
              key={`${edge.from} ${edge.to} ${edge.back}`}
              d={pathOf(points)}
              data-edge={`${edge.from} ${edge.to}`}
              data-back={edge.back ? "" : undefined}
              markerEnd={`url(#arrow-${edge.back ? "back" : "line"})`}
              className={edge.back ? "stroke-care" : "stroke-muted"}
              strokeDasharray={edge.back ? "5 4" : undefined}
            />
          ))}
        </g>
      </svg>
      {drawn.boxes.filter(({ node }) => node.type !== "loop").map(box)}
    </GraphViewport>
  );
}

function parentOf({ graph }: RunDetail, node: string): string | null {
  return graph.nodes.find(({ id }) => id === node)?.parent ?? null;
}
