/** Finds the ports at which each edge of the file begins and ends, also if its handles are missing. */

import type { EdgeTarget, EdgeSource as From, Position } from "../graph.ts";
import type { WrittenEdge } from "../parse/written.ts";
import { dockSource, dockTarget } from "./dock-ends.ts";
import type { Draft, DraftNode } from "./draft.ts";
import { type EdgeHandle, parseHandle } from "./handle.ts";
import { feedInput, feedLoopOutput, readLoopInput, readOutput } from "./made-ports.ts";
import { taskInput, usualInput, usualOutput } from "./usual-ports.ts";

/** One end of an edge: its node, the node at the other end, and its position in the file. */
export interface End {
  readonly draft: Draft;
  readonly edge: WrittenEdge;
  readonly side: "source" | "target";
  readonly node: DraftNode;
  readonly other: DraftNode;
  readonly at: Position;
  /** The node is a loop that contains the other one. */
  readonly inward: boolean;
}

export function lowerEdges(draft: Draft): void {
  for (const edge of draft.file.edges) {
    const source = nodeAt(draft, edge, "source");
    const target = nodeAt(draft, edge, "target");
    if (!source || !target) continue;
    const from = sourceOf(endOf(draft, edge, "source", source, target));
    const to = from && targetOf(endOf(draft, edge, "target", target, source), from);
    if (!from || !to) continue;
    const position = draft.source.at(edge.path);
    const crossed = draft.connect(from, to, { id: edge.id, position });
    if (crossed && !edge.implied)
      draft.report.warn(
        "crosses-loop",
        position,
        `The edge from "${edge.source}" to "${edge.target}" goes through the border of a loop; its value is led through ports of that loop.`,
        "Give the loop an input or an output, and wire both sides to it.",
        { node: target.id },
      );
  }
}

function nodeAt(draft: Draft, edge: WrittenEdge, side: "source" | "target"): DraftNode | null {
  const node = draft.nodes.get(edge[side]);
  if (node) return node;
  draft.report.error(
    "unknown-node",
    draft.source.at([...edge.path, side]),
    `There is no node "${edge[side]}".`,
    draft.report.near(edge[side], draft.nodes.keys(), "Name a node of this file."),
    { node: draft.nodes.get(edge[side === "source" ? "target" : "source"])?.id ?? null },
  );
  return null;
}

function endOf(
  draft: Draft,
  edge: WrittenEdge,
  side: "source" | "target",
  node: DraftNode,
  other: DraftNode,
): End {
  const inward = node.written.type === "loop" && draft.isInside(other.id, node.id);
  const at = draft.source.at([...edge.path, `${side}Handle`]);
  return { draft, edge, side, node, other, at, inward };
}

function sourceOf(end: End): From | null {
  const { draft, edge, node, at, inward } = end;
  const naming = { at, implied: edge.implied };
  const output = (port: string): From => ({ from: "output", node: node.id, port });
  const loopInput = (port: string): From => ({ from: "loop-input", node: node.id, port });
  if (edge.sourceHandle === null) {
    const name = inward ? (taskInput(node) ?? "input") : usualOutput(node);
    tellImplied(end, name);
    if (inward)
      return readLoopInput(draft, node, name, { at, implied: true }) ? loopInput(name) : null;
    return readOutput(draft, node, name, naming) ? output(name) : null;
  }
  const handle = handleOf(end, edge.sourceHandle, inward ? "input" : "output");
  if (handle?.at === "dock" && (handle.side === "output" || handle.side === "prev"))
    return dockSource(end, handle.name);
  if (inward && handle?.at === "input")
    return readLoopInput(draft, node, handle.name, naming) ? loopInput(handle.name) : null;
  if (!inward && handle?.at === "output" && !handle.internal)
    return readOutput(draft, node, handle.name, naming) ? output(handle.name) : null;
  return badHandle(end, edge.sourceHandle);
}

function targetOf(end: End, from: From): EdgeTarget | null {
  const { draft, edge, node, at, inward } = end;
  const naming = { at, implied: edge.implied };
  const input = (port: string): EdgeTarget => ({ to: "input", node: node.id, port });
  if (edge.targetHandle === null) {
    if (inward) return badHandle(end, null);
    const name = usualInput(draft, node, from);
    if (name === null) return { to: "wait", node: node.id };
    tellImplied(end, name);
    return feedInput(draft, node, name, { at, implied: true }) ? input(name) : null;
  }
  const handle = handleOf(end, edge.targetHandle, inward ? "output" : "input");
  if (handle?.at === "wait") return { to: "wait", node: node.id };
  if (handle?.at === "dock" && (handle.side === "input" || handle.side === "current"))
    return dockTarget(end, handle.name);
  if (inward && handle?.at === "output")
    return feedLoopOutput(draft, node, handle.name, naming)
      ? { to: "loop-output", node: node.id, port: handle.name }
      : null;
  if (!inward && handle?.at === "input" && !handle.internal)
    return feedInput(draft, node, handle.name, naming) ? input(handle.name) : null;
  return badHandle(end, edge.targetHandle);
}

/** A plain word is the port of that name. */
function handleOf(
  { draft, edge, side, node, at }: End,
  text: string,
  kind: string,
): EdgeHandle | null {
  const handle = parseHandle(text);
  if (handle || !/^[\w.-]+$/.test(text)) return handle;
  draft.report.warn(
    "bare-handle",
    at,
    `The ${side}Handle "${text}" of the edge from "${edge.source}" to "${edge.target}" does not say what it is; it is taken for ${kind}:${text}.`,
    `Write ${side}Handle: ${kind}:${text}.`,
    { node: node.id, port: text },
  );
  return parseHandle(`${kind}:${text}`);
}

function tellImplied({ draft, edge, side, node, at }: End, name: string): void {
  if (edge.implied) return;
  draft.report.warn(
    `implied-${side}-handle`,
    at,
    `The edge from "${edge.source}" to "${edge.target}" has no ${side}Handle; it ${side === "source" ? "takes" : "feeds"} "${name}" of "${node.id}".`,
    `Write ${side}Handle: ${side === "source" ? "output" : "input"}:${name}.`,
    { node: node.id, port: name },
  );
}

const forms = {
  source: {
    inward: "input:<name>:internal, dock:<name>:output or dock:<name>:prev",
    outward: "output:<name>",
  },
  target: {
    inward: "output:<name>:internal, dock:<name>:input or dock:<name>:current",
    outward: "input:<name>",
  },
};

function badHandle({ draft, edge, side, node, at, inward }: End, text: string | null): null {
  const way = side === "source" ? "from" : "to";
  const where = inward ? `the inside of the loop "${node.id}"` : `"${node.id}"`;
  draft.report.error(
    "bad-handle",
    at,
    text === null
      ? `The edge from "${edge.source}" does not say where in the loop "${node.id}" it ends.`
      : `"${text}" cannot be the ${side}Handle of an edge ${way} ${where}.`,
    `Write ${forms[side][inward ? "inward" : "outward"]}.`,
    { node: node.id },
  );
  return null;
}
