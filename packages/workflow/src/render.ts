/** Draws a graph: as a tree of text for a terminal, and for Mermaid and Graphviz. */

import { type Arrow, type DrawnBox, drawingOf } from "./drawing.ts";
import type { Edge, Graph, GraphNode } from "./graph.ts";
import type { GraphFormat } from "./graph-format.ts";
import { impliedFor } from "./implied.ts";
import { describeNode } from "./node-description.ts";

/** With a newline at its end. */
export function render(graph: Graph, format: GraphFormat): string {
  const lines = { text: textLines, mermaid: mermaidLines, dot: dotLines }[format](graph);
  return `${lines.join("\n")}\n`;
}

function textLines(graph: Graph): string[] {
  const { name, nodes, edges } = graph;
  const inside = Map.groupBy(nodes, ({ parent }) => parent);
  const into = Map.groupBy(edges, ({ target }) => target.node);
  const rows: { head: string; what: string; from: string }[] = [];
  addRows(null, "");
  const width = Math.max(0, ...rows.map(({ head }) => [...head].length));
  return [
    name,
    ...rows.map(({ head, what, from }) =>
      `${head.padEnd(head.length + width - [...head].length)}  ${what}${from}`.trimEnd(),
    ),
    ...impliedLines(graph),
  ];

  function addRows(loop: string | null, indent: string): void {
    const children = inside.get(loop) ?? [];
    for (const [at, node] of children.entries()) {
      const isLast = at === children.length - 1;
      rows.push({
        head: `${indent}${isLast ? "└─" : "├─"} ${node.id}`,
        what: describeNode(node),
        from: sourcesOf(node, into.get(node.id) ?? []),
      });
      if (node.type === "loop") addRows(node.id, `${indent}${isLast ? "   " : "│  "}`);
    }
  }
}

/** Implied behaviour, listed under the tree. */
function impliedLines(graph: Graph): string[] {
  const said = graph.nodes.flatMap((node) => {
    const implied = impliedFor(graph, node);
    return implied.length > 0 ? [{ id: node.id, implied }] : [];
  });
  if (said.length === 0) return [];
  const width = Math.max(...said.map(({ id }) => [...id].length));
  return [
    "",
    "Implied; any other failure fails the run:",
    ...said.map(
      ({ id, implied }) =>
        `  ${id.padEnd(id.length + width - [...id].length)}  ${implied.join("; ")}`,
    ),
  ];
}

/** Edges from outside; a loop's docks and outputs get their values from inside. */
function sourcesOf(node: GraphNode, edges: readonly Edge[]): string {
  const outer = edges.filter(({ target }) => target.to === "input" || target.to === "wait");
  const inner = edges.filter(({ target }) => target.to === "dock" || target.to === "loop-output");
  const from = [...new Set(outer.map(sourceName))];
  const docks = inner.map((edge) => `${targetName(edge)} ← ${sourceName(edge)}`);
  return [
    ...(from.length > 0 ? [`  ← ${from.join(", ")}`] : []),
    ...(node.type === "loop" && docks.length > 0 ? [`  (${docks.join(", ")})`] : []),
  ].join("");
}

function sourceName({ source, target, back }: Edge): string {
  const name =
    "port" in source
      ? `${source.node}.${source.port}`
      : source.from === "previous"
        ? `${source.node}.${source.dock} of the last iteration`
        : `${source.node}.iteration`;
  const isPlain =
    target.to === "wait" && name !== `${source.node}.true` && name !== `${source.node}.false`;
  return `${isPlain ? source.node : name}${back ? " (again)" : ""}`;
}

function targetName({ target }: Edge): string {
  return "dock" in target ? target.dock : "port" in target ? target.port : target.node;
}

const mermaidShapes: Record<DrawnBox["shape"], [open: string, close: string]> = {
  step: ["[", "]"],
  loop: ["[", "]"],
  decision: ["{{", "}}"],
  person: ["[/", "/]"],
  end: ["([", "])"],
};

function mermaidLines(graph: Graph): string[] {
  const { boxes, arrows } = drawingOf(graph);
  const label = (lines: readonly string[]) => `"${lines.map(mermaidText).join("<br/>")}"`;
  const draw = ({ id, shape, lines, inside }: DrawnBox, indent: string): string[] => {
    const [open, close] = mermaidShapes[shape];
    if (shape !== "loop") return [`${indent}${id}${open}${label(lines)}${close}`];
    return [
      `${indent}subgraph ${id}[${label(lines)}]`,
      ...inside.flatMap((each) => draw(each, `${indent}  `)),
      `${indent}end`,
    ];
  };
  return [
    "flowchart TD",
    ...boxes.flatMap((each) => draw(each, "  ")),
    ...arrows.map(({ from, to, label: text, back }) => {
      const line = back ? "-.->" : "-->";
      return `  ${from} ${line}${text === "" ? "" : `|${label([text])}|`} ${to}`;
    }),
  ];
}

/** Names may contain anything, so they are escaped as entities for Mermaid. */
function mermaidText(text: string): string {
  return text.replace(/[^\p{L}\p{N} .,:_→-]/gu, (character) => `#${character.codePointAt(0)};`);
}

const dotShapes: Record<DrawnBox["shape"], string> = {
  step: "box",
  loop: "box",
  decision: "hexagon",
  person: "parallelogram",
  end: "oval",
};

function dotLines(graph: Graph): string[] {
  const { name, boxes, arrows } = drawingOf(graph);
  const draw = ({ id, shape, lines, inside }: DrawnBox, indent: string): string[] =>
    shape === "loop"
      ? [
          `${indent}subgraph cluster_${id} {`,
          `${indent}  label=${dotText(lines.join("\n"))};`,
          ...inside.flatMap((each) => draw(each, `${indent}  `)),
          `${indent}}`,
        ]
      : [`${indent}${id} [shape=${dotShapes[shape]}, label=${dotText(lines.join("\n"))}];`];
  const arrow = ({ from, to, label, back }: Arrow) => {
    const words = [
      ...(label === "" ? [] : [`label=${dotText(label)}`]),
      ...(back ? ["style=dashed"] : []),
    ];
    return `  ${from} -> ${to}${words.length === 0 ? "" : ` [${words.join(", ")}]`};`;
  };
  return [
    `digraph ${dotText(name)} {`,
    ...boxes.flatMap((each) => draw(each, "  ")),
    ...arrows.map(arrow),
    "}",
  ];
}

function dotText(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
