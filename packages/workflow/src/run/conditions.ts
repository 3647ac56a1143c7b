/** Who may read a rejection or a failure. A *condition* is a branch, a `continue` or `until` dock, or a check
 * of a retry gate that reads a port with a node's result. Nothing else may run after a "no". All of this
 * follows from the graph alone.
 */

import type { Edge, Graph, GraphNode } from "../graph.ts";
import { graphIndex } from "./graph-index.ts";

/** `rejected`: a gate got another choice than its first, or a retry gate was not passed. */
export type RefusalKind = "rejected" | "failed";

/** The origin of a value: a node, or a loop that passes it out. */
export interface Origin {
  readonly node: string;
  readonly port: string;
}

interface Conditions {
  /** Branches and retry gates in the frame of the node or an enclosing one. */
  readonly nodes: ReadonlySet<string>;
  /** Whether something in its own frame reads it: one of these nodes, or the condition of its loop. */
  readonly inFrame: readonly string[];
  readonly decidesLoop: boolean;
}

interface Reading {
  readonly conditions: ReadonlyMap<string, Conditions>;
  /** Filled by `originsOf` and by `behind`. */
  readonly origins: Map<Edge, readonly Origin[]>;
  readonly behind: Map<string, ReadonlySet<string>>;
}

const readings = new WeakMap<Graph, Reading>();

function readingOf(graph: Graph): Reading {
  const known = readings.get(graph);
  if (known) return known;
  const made = { conditions: collect(graph), origins: new Map(), behind: new Map() };
  readings.set(graph, made);
  return made;
}

const none: Conditions = { nodes: new Set(), inFrame: [], decidesLoop: false };

export function conditionsOn(graph: Graph, node: string, refusal: RefusalKind): Conditions {
  return readingOf(graph).conditions.get(keyOf(node, refusal)) ?? none;
}

/** Whether something in the frame of the node is a condition on it. */
export function isJudged(graph: Graph, node: string, refusal: RefusalKind): boolean {
  const { inFrame, decidesLoop } = conditionsOn(graph, node, refusal);
  return decidesLoop || inFrame.length > 0;
}

function keyOf(node: string, refusal: RefusalKind): string {
  return `${refusal} ${node}`;
}

function collect(graph: Graph): Map<string, Conditions> {
  const found = new Map<string, { nodes: Set<string>; inFrame: string[]; decidesLoop: boolean }>();
  const { nodes } = graphIndex(graph);
  for (const { at, edge } of conditionEdges(graph)) {
    for (const { node, port } of trace(graph, edge))
      for (const refusal of ["rejected", "failed"] as const) {
        const source = nodes.get(node)?.node;
        if (!source || !says(source, port, refusal)) continue;
        const key = keyOf(node, refusal);
        const known = found.get(key) ?? { nodes: new Set(), inFrame: [], decidesLoop: false };
        found.set(key, known);
        if (edge.target.to === "dock") known.decidesLoop ||= at.id === source.parent;
        else {
          known.nodes.add(at.id);
          if (at.parent === source.parent) known.inFrame.push(at.id);
        }
      }
  }
  return found;
}

/** The edges that lead to a condition, with the deciding node. */
function* conditionEdges(graph: Graph): Generator<{ at: GraphNode; edge: Edge }> {
  for (const { node, inputs, docks } of graphIndex(graph).nodes.values())
    for (const edge of conditionPorts(node).flatMap((port) => [
      ...(inputs.get(port) ?? []),
      ...(docks.get(port) ?? []),
    ]))
      if (!edge.back) yield { at: node, edge };
}

function conditionPorts(node: GraphNode): readonly string[] {
  switch (node.type) {
    case "branch":
      return ["value"];
    case "retry-gate":
      return node.checks;
    case "loop":
      return node.docks
        .filter(({ type }) => type === "continue" || type === "until")
        .map(({ name }) => name);
    default:
      return [];
  }
}

const ofFailure: readonly string[] = ["success", "error", "exitCode"];

/** Whether the port says that the node was rejected, or that it failed. */
function says({ type }: GraphNode, port: string, refusal: RefusalKind): boolean {
  if (type === "loop") return port === "ended" || ofFailure.includes(port);
  if (refusal === "failed") return ofFailure.includes(port);
  if (type === "gate") return port === "choice" || port === "approved";
  return type === "retry-gate" && port === "passed";
}

/** The nodes that an edge comes from, the one in its own frame first. */
export function edgeOrigins(graph: Graph, edge: Edge): readonly Origin[] {
  const { origins } = readingOf(graph);
  const known = origins.get(edge);
  if (known) return known;
  const made = trace(graph, edge);
  origins.set(edge, made);
  return made;
}

function trace(graph: Graph, { source }: Edge): Origin[] {
  if (source.from !== "output") return [];
  const origins: Origin[] = [];
  for (let at: Origin | null = source; at; ) {
    origins.push({ node: at.node, port: at.port });
    at = carriedInto(graphIndex(graph).nodes.get(at.node)?.outputs.get(at.port));
  }
  return origins;
}

function carriedInto(edges: readonly Edge[] | undefined): Origin | null {
  const source = edges?.find(({ carried }) => carried)?.source;
  return source?.from === "output" ? source : null;
}

/** The nodes after an outcome of a branch, directly or through nodes other than joins. */
export function behind(graph: Graph, branch: string, outcome: string): ReadonlySet<string> {
  const { behind: known } = readingOf(graph);
  const key = `${branch} ${outcome}`;
  const before = known.get(key);
  if (before) return before;
  const { nodes } = graphIndex(graph);
  const isTaken = ({ source }: Edge) =>
    source.from === "output" && source.node === branch && source.port === outcome;
  const found = new Set(
    nodes.get(branch)?.successors.filter((id) => {
      const next = nodes.get(id);
      return next && [...next.waits, ...[...next.inputs.values()].flat()].some(isTaken);
    }),
  );
  // The set grows while we iterate over it.
  for (const id of found) {
    const index = nodes.get(id);
    if (index && index.node.type !== "join") for (const next of index.successors) found.add(next);
  }
  known.set(key, found);
  return found;
}

/** The outcome that a branch took; null when it took none. */
export function takenBy(
  node: GraphNode,
  outputs: Readonly<Record<string, unknown>>,
): string | null {
  if (node.type !== "branch") return null;
  return ["true", "false"].find((outcome) => Object.hasOwn(outputs, outcome)) ?? null;
}
