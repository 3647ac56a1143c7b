/** Which branch outcomes a node depends on. This shows which two nodes never both run. */

import { type Finding, warning } from "../finding.ts";
import type { Edge, GraphNode } from "../graph.ts";
import { isDependency, type ValidationIndex } from "./graph-index.ts";
import type { NodeOrder } from "./order.ts";

/**
 * The outcome that each of these branches must have had, the nearest one first; null for a node that
 * is always skipped.
 */
export type Guards = ReadonlyMap<string, string> | null;

const none: ReadonlyMap<string, string> = new Map();

/** Only the nearest are kept, because there may be thousands of branches in a row. */
const mostGuards = 64;

export function guardsOf(
  index: ValidationIndex,
  { nodes }: NodeOrder,
): { guards: ReadonlyMap<string, Guards>; findings: Finding[] } {
  const guards = new Map<string, Guards>();
  const findings: Finding[] = [];
  for (const node of nodes) {
    const ways = needs(node, index.into.get(node.id) ?? [], index).map((edges) =>
      anyOf(edges.map((edge) => through(edge, index, guards))),
    );
    const own = allOf(ways);
    guards.set(node.id, own);
    if (own === null && !ways.includes(null)) findings.push(neverRuns(node));
  }
  return { guards, findings };
}

/** Groups of edges. A node runs if each group has an alive edge: a join's inputs are one group, else each edge is one. */
function needs(node: GraphNode, edges: readonly Edge[], { nodes }: ValidationIndex): Edge[][] {
  const into = edges.filter(({ back, target }) => !back && isInto(target));
  if (node.type !== "join") return into.map((edge) => [edge]);
  const own = into.filter(
    ({ source, target }) => target.to === "input" && nodes.get(source.node)?.type !== "trigger",
  );
  return own.length > 0 ? [own] : [];
}

function isInto({ to }: Edge["target"]): boolean {
  return to === "input" || to === "wait";
}

function through(edge: Edge, index: ValidationIndex, guards: ReadonlyMap<string, Guards>): Guards {
  const { source } = edge;
  if (!isDependency(edge) || source.from !== "output") return none;
  const before = guards.get(source.node) ?? null;
  if (before === null || index.nodes.get(source.node)?.type !== "branch") return before;
  return source.port === "true" || source.port === "false"
    ? allOf([new Map([[source.node, source.port]]), before])
    : before;
}

/** The outcomes that all alternatives have in common. */
function anyOf(ways: readonly Guards[]): Guards {
  const open = ways.filter((way) => way !== null);
  const [first, ...rest] = open;
  if (first === undefined) return null;
  if (rest.every((way) => way === first)) return first;
  return new Map([...first].filter(([id, taken]) => rest.every((way) => way.get(id) === taken)));
}

/** The outcomes of all of them together; null if they contradict each other. */
function allOf(ways: readonly Guards[]): Guards {
  const [first = none, ...rest] = ways;
  if (first === null) return null;
  if (rest.every((way) => way === first)) return first;
  const all = new Map(first);
  for (const way of rest) {
    if (way === null) return null;
    for (const [id, taken] of way) {
      if ((all.get(id) ?? taken) !== taken) return null;
      all.set(id, taken);
    }
  }
  return all.size > mostGuards ? new Map([...all].slice(0, mostGuards)) : all;
}

/** Whether at most one of two nodes runs. */
export function areExclusive(one: Guards, other: Guards): boolean {
  if (one === null || other === null) return true;
  return one.entries().some(([id, taken]) => (other.get(id) ?? taken) !== taken);
}

/** Whether everything that `one` depends on, `other` depends on too. */
export function isNoNarrower(one: Guards, other: Guards): boolean {
  if (one === null) return other === null;
  return other === null || one.entries().every(([id, taken]) => other.get(id) === taken);
}

function neverRuns(node: GraphNode): Finding {
  return warning(
    node,
    "never-runs",
    `Node "${node.id}" needs both outcomes of a branch, so it is always skipped.`,
    "Combine both outcomes in a join, and let the node wait for the join.",
  );
}
