/** A graph as boxes and arrows, for drawing. A loop is a box around others, with an entry and an exit. */

import type { Edge, EdgeSource, EdgeTarget, Graph, GraphNode } from "./graph.ts";
import { describeNode } from "./node-description.ts";

export interface DrawnBox {
  /** Safe in every format: letters, digits and underscores. */
  readonly id: string;
  readonly shape: "step" | "loop" | "decision" | "person" | "end";
  readonly lines: readonly string[];
  /** The boxes inside a loop. */
  readonly inside: readonly DrawnBox[];
}

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** An arrow back, from a dock or a retry gate. */
  readonly back: boolean;
}

export interface Drawing {
  readonly name: string;
  readonly boxes: readonly DrawnBox[];
  readonly arrows: readonly Arrow[];
}

export function drawingOf(graph: Graph): Drawing {
  const ids = new Map(graph.nodes.map(({ id }, at) => [id, `n${at}`]));
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const inside = Map.groupBy(graph.nodes, ({ parent }) => parent);
  return { name: graph.name, boxes: boxesIn(null), arrows: arrows() };

  function boxesIn(loop: string | null): DrawnBox[] {
    return (inside.get(loop) ?? []).map((node) => boxOf(node));
  }

  function boxOf(node: GraphNode): DrawnBox {
    const id = ids.get(node.id)!;
    const lines = [node.id, describeNode(node)];
    if (node.type !== "loop") return { id, shape: shapeOf(node), lines, inside: [] };
    const docks = node.docks.filter(({ type }) => type !== "iteration");
    return {
      id,
      shape: "loop",
      lines,
      inside: [
        box(`${id}_in`, "end", "begin"),
        ...boxesIn(node.id),
        ...docks.map(({ name, type }, at) =>
          box(`${id}_dock${at}`, "decision", name === type ? name : `${name} (${type})`),
        ),
        box(`${id}_out`, "end", "end"),
      ],
    };
  }

  function arrows(): Arrow[] {
    return graph.edges
      .filter(({ source, target }) => nodes.has(source.node) && nodes.has(target.node))
      .map(({ source, target, back }) => ({
        from: startOf(source),
        to: endOf(target),
        label: arrowLabel({ source, target }),
        back: back || source.from === "previous",
      }));
  }

  function startOf(source: EdgeSource): string {
    const id = ids.get(source.node)!;
    if (source.from === "previous") return dockId(source.node, source.dock);
    if (source.from !== "output") return `${id}_in`;
    return nodes.get(source.node)?.type === "loop" ? `${id}_out` : id;
  }

  function endOf(target: EdgeTarget): string {
    const id = ids.get(target.node)!;
    if (target.to === "dock") return dockId(target.node, target.dock);
    if (target.to === "loop-output") return `${id}_out`;
    return nodes.get(target.node)?.type === "loop" ? `${id}_in` : id;
  }

  function dockId(loop: string, dock: string): string {
    const node = nodes.get(loop);
    const docks =
      node?.type === "loop" ? node.docks.filter(({ type }) => type !== "iteration") : [];
    const at = docks.findIndex(({ name }) => name === dock);
    return at < 0 ? `${ids.get(loop)}_in` : `${ids.get(loop)}_dock${at}`;
  }
}

function box(id: string, shape: DrawnBox["shape"], line: string): DrawnBox {
  return { id, shape, lines: [line], inside: [] };
}

function shapeOf({ type }: GraphNode): DrawnBox["shape"] {
  switch (type) {
    case "trigger":
    case "output":
      return "end";
    case "branch":
    case "retry-gate":
      return "decision";
    case "gate":
      return "person";
    default:
      return "step";
  }
}

/** The source port, and the target port if it has another name. */
function arrowLabel({ source, target }: Pick<Edge, "source" | "target">): string {
  const from = "port" in source ? source.port : source.from;
  const to = "port" in target ? target.port : "";
  if (target.to === "wait") return from === "true" || from === "false" ? from : "";
  return to === "" || to === from ? from : `${from} → ${to}`;
}
