/**
 * Where everything of a graph is drawn: from top to bottom, each loop as a frame around what stands in
 * it. Every frame is laid out by itself, then takes part in the layout around it as one box.
 */

import { layout as arrange, Graph } from "@dagrejs/dagre";
import type { RunDetail } from "@reprise/core/api/reprise";

type GraphView = RunDetail["graph"];
export type LaidOutNode = GraphView["nodes"][number];
type GraphEdge = GraphView["edges"][number];

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly node: LaidOutNode;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** Frames come before what stands in them. */
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

const nodeWidth = 220;
const nodeHeight = 62;
/** Of a loop's frame, above what stands in it. */
const headHeight = 66;
/** A label that is longer takes another line. */
const lettersInLine = 22;
const lineHeight = 20;
const padding = 14;
/** To the right of boxes, for what goes back. */
const backWidth = 26;

export function layout(graph: GraphView): Layout {
  return level(graph, null);
}

function level(graph: GraphView, parent: string | null): Layout {
  const nodes = graph.nodes.filter((node) => node.parent === parent);
  const frames = new Map(
    nodes
      .filter(({ type }) => type === "loop")
      .map((node) => [node.id, level(graph, node.id)] as const),
  );
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const drawing = new Graph();
  drawing.setGraph({ rankdir: "TB", nodesep: 20, ranksep: 34, edgesep: 12 });
  for (const node of nodes) drawing.setNode(node.id, { ...sizeOf(node, frames.get(node.id)) });
  for (const { from, to, back } of edges) if (!back) drawing.setEdge(from, to, {});
  arrange(drawing);

  const own = nodes.map((node): Box => {
    const { x, y, width, height } = drawing.node(node.id) as Required<Box>;
    return { node, x: x - width / 2, y: y - height / 2, width, height };
  });
  const inner = own.flatMap((box) => {
    const frame = frames.get(box.node.id);
    return frame
      ? [moved(frame, { x: box.x + padding, y: box.y + headHeight + more(box.node) })]
      : [];
  });
  const lines = edges.map((edge): Line => {
    if (edge.back) return { edge, points: backPoints(own, edge) };
    const { points } = drawing.edge(edge.from, edge.to) as { points: Point[] };
    return { edge, points: points.map(({ x, y }) => ({ x, y })) };
  });
  const goesBack = edges.some(({ back }) => back);
  const right = Math.max(0, ...own.map(({ x, width }) => x + width));
  return {
    width: right + (goesBack ? backWidth : 0),
    height: Math.max(0, ...own.map(({ y, height }) => y + height)),
    boxes: [...own, ...inner.flatMap(({ boxes }) => boxes)],
    lines: [...lines, ...inner.flatMap((frame) => frame.lines)],
  };
}

function sizeOf(node: LaidOutNode, frame: Layout | undefined): { width: number; height: number } {
  if (!frame) return { width: nodeWidth, height: nodeHeight + more(node) };
  return {
    width: Math.max(nodeWidth, frame.width + 2 * padding),
    height: frame.height + headHeight + more(node) + padding,
  };
}

/** What the further lines of a label need. */
function more({ label }: LaidOutNode): number {
  return Math.max(0, Math.ceil(label.length / lettersInLine) - 1) * lineHeight;
}

/** Out of the right side, up, and into the right side. */
function backPoints(boxes: readonly Box[], { from, to }: GraphEdge): Point[] {
  const source = boxes.find(({ node }) => node.id === from)!;
  const target = boxes.find(({ node }) => node.id === to)!;
  const side = Math.max(source.x + source.width, target.x + target.width) + backWidth - 8;
  const [start, end] = [middle(source, 8), middle(target, -8)];
  return [start, { x: side, y: start.y }, { x: side, y: end.y }, end];
}

function middle({ x, y, width, height }: Box, offset: number): Point {
  return { x: x + width, y: y + height / 2 + offset };
}

function moved(frame: Layout, by: Point): Layout {
  const move = <P extends Point>(point: P): P => ({
    ...point,
    x: point.x + by.x,
    y: point.y + by.y,
  });
  return {
    ...frame,
    boxes: frame.boxes.map(move),
    lines: frame.lines.map((line) => ({ ...line, points: line.points.map(move) })),
  };
}
