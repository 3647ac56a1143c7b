/** The graph of a run as it stands: nodes to choose from, loops as frames, lines between them. */

import type { RunDetail } from "@reprise/core/api/reprise";
import { useMemo } from "react";
import { GraphBox } from "./graph-box.tsx";
import { layout } from "./layout.ts";
import { nodeStates } from "./node-state.ts";
import { pathOf } from "./path.ts";

interface GraphProps {
  readonly run: RunDetail;
  readonly selected: string | null;
  readonly onSelect: (node: string) => void;
}

const margin = 8;

export function GraphDrawing({ run, selected, onSelect }: GraphProps) {
  const { executions } = run;
  // The graph never changes; asking for it again gives an equal one.
  const text = JSON.stringify(run.graph);
  const drawn = useMemo(() => layout(JSON.parse(text)), [text]);
  const stateOf = nodeStates(executions);
  const decides = new Map(
    run.graph.edges
      .filter(({ from, to }) => parentOf(run, from) === to)
      .map(({ from, label }) => [from, label]),
  );
  return (
    <section
      aria-label="Graph"
      // A wide graph is scrolled with the keyboard.
      tabIndex={0}
      className="max-h-[75vh] overflow-auto rounded-lg border border-line bg-page p-2"
    >
      <div
        className="relative mx-auto"
        style={{ width: drawn.width + 2 * margin, height: drawn.height + 2 * margin }}
      >
        {drawn.boxes.map(({ node, x, y, width, height }) => (
          <GraphBox
            key={node.id}
            node={node}
            state={stateOf(node.id)}
            decides={decides.get(node.id) ?? null}
            selected={node.id === selected}
            onSelect={() => onSelect(node.id)}
            place={{ left: x + margin, top: y + margin, width, height }}
          />
        ))}
        <svg
          aria-hidden="true"
          className="pointer-events-none absolute inset-0 overflow-visible"
          width={drawn.width + 2 * margin}
          height={drawn.height + 2 * margin}
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
                markerEnd={`url(#arrow-${edge.back ? "back" : "line"})`}
                className={edge.back ? "stroke-care" : "stroke-muted"}
                strokeDasharray={edge.back ? "5 4" : undefined}
              />
            ))}
          </g>
        </svg>
      </div>
    </section>
  );
}

function parentOf({ graph }: RunDetail, node: string): string | null {
  return graph.nodes.find(({ id }) => id === node)?.parent ?? null;
}
