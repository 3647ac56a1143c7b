/**
 * Where everything of a graph is drawn: from top to bottom, each loop as a frame around its
 * nodes. Every frame is laid out by itself, then takes part in the layout around it as one box.
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
  /** A frame comes before its nodes. */
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

const nodeWidth = 220;
export const nodeHeight = 62;
/** The head of a loop's frame, above its nodes. */
const headHeight = 66;
/** A label that is longer takes another line. */
const lettersInLine = 22;
const lineHeight = 20;
const padding = 14;
/** From the boxes to the first line that goes back, and from one such line to the next. */
const backWidth = 18;
const laneWidth = 8;
/** From a rank to a line that runs beside it. */
const gap = 12;
const lineRoom = 8;

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

  const placed = nodes.map((node): Box => {
    const { x, y, width, height } = drawing.node(node.id) as Required<Box>;
    return { node, x: x - width / 2, y: y - height / 2, width, height };
  });
  let lanes = 0;
  const drawn = edges.map((edge): Line => {
    if (edge.back) return { edge, points: backPoints(placed, edge, lanes++) };
    const { points } = drawing.edge(edge.from, edge.to) as { points: Point[] };
    return { edge, points: points.map(({ x, y }) => ({ x, y })) };
  });
  // A line that comes back to the first rank, or leaves the last one, needs room beyond the boxes.
  const backs = drawn.filter(({ edge }) => edge.back).flatMap(({ points }) => points);
  const above = Math.max(0, ...backs.map(({ y }) => lineRoom - y));
  const own = placed.map((box) => ({ ...box, y: box.y + above }));
  const inner = own.flatMap((box) => {
    const frame = frames.get(box.node.id);
    return frame
      ? [moved(frame, { x: box.x + padding, y: box.y + headHeight + more(box.node) })]
      : [];
  });
  return {
    width: Math.max(
      0,
      ...own.map(({ x, width }) => x + width),
      ...backs.map(({ x }) => x + lineRoom),
    ),
    height: Math.max(
      0,
      ...own.map(({ y, height }) => y + height),
      ...backs.map(({ y }) => y + above + lineRoom),
    ),
    boxes: [...own, ...inner.flatMap(({ boxes }) => boxes)],
    lines: [
      ...drawn.map((line) => ({
        ...line,
        points: line.points.map(({ x, y }) => ({ x, y: y + above })),
      })),
      ...inner.flatMap((frame) => frame.lines),
    ],
  };
}

function sizeOf(node: LaidOutNode, frame: Layout | undefined): { width: number; height: number } {
  if (!frame) return { width: nodeWidth, height: nodeHeight + more(node) };
  return {
    width: Math.max(nodeWidth, frame.width + 2 * padding),
    height: frame.height + headHeight + more(node) + padding,
  };
}

/** The height of a label's further lines. */
function more({ label }: LaidOutNode): number {
  return Math.max(0, Math.ceil(label.length / lettersInLine) - 1) * lineHeight;
}

/**
 * Up along the right of everything between the two, in a lane of its own. Where another box is in the way to
 * that lane, the line goes through the gap below or above the rank instead.
 */
function backPoints(boxes: readonly Box[], { from, to }: GraphEdge, lane: number): Point[] {
  const source = boxes.find(({ node }) => node.id === from)!;
  const target = boxes.find(({ node }) => node.id === to)!;
  const [leaving, entering] = [rankOf(boxes, source), rankOf(boxes, target)];
  const passed = boxes.filter(({ y, height }) => y + height >= entering.top && y <= leaving.bottom);
  const side = Math.max(...passed.map(({ x, width }) => x + width)) + backWidth + lane * laneWidth;
  const start = leaving.isBlocked
    ? throughGap(source, source.y + source.height, leaving.bottom + gap, side)
    : besides(source, 8, side);
  const end = entering.isBlocked
    ? throughGap(target, target.y, entering.top - gap, side)
    : besides(target, -8, side);
  return [...start, ...end.toReversed()];
}

/** The boxes beside this one: dagre puts their middles at one height. */
function rankOf(boxes: readonly Box[], box: Box) {
  const middle = ({ y, height }: Box) => y + height / 2;
  const rank = boxes.filter((each) => Math.abs(middle(each) - middle(box)) < 1);
  return {
    top: Math.min(...rank.map(({ y }) => y)),
    bottom: Math.max(...rank.map(({ y, height }) => y + height)),
    isBlocked: rank.some(({ x }) => x > box.x),
  };
}

function besides({ x, y, width, height }: Box, offset: number, side: number): Point[] {
  const at = y + height / 2 + offset;
  return [
    { x: x + width, y: at },
    { x: side, y: at },
  ];
}

function throughGap({ x, width }: Box, edge: number, at: number, side: number): Point[] {
  const port = x + width * 0.8;
  return [
    { x: port, y: edge },
    { x: port, y: at },
    { x: side, y: at },
  ];
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
