/** The order in which the nodes of each frame can run, and the cycles that prevent one. */

import { error, type Finding } from "../finding.ts";
import type { GraphNode } from "../graph.ts";
import { isDependency, type ValidationIndex } from "./graph-index.ts";

export interface NodeOrder {
  /** Every node once, after everything that it waits for. */
  readonly nodes: readonly GraphNode[];
  /** A node's position in that order. */
  readonly rank: ReadonlyMap<string, number>;
  /** The ranks of everything that a node waits for, directly or not, down to the rank `lowest`. */
  ancestors(rank: number, lowest: number): { has(rank: number): boolean };
}

/** The order, or the cycles. A loop counts as one node of its frame. */
export function orderOf(index: ValidationIndex): { order: NodeOrder } | { cycles: Finding[] } {
  const before = neighbours(index.into, ({ source }) => source.node);
  const after = neighbours(index.outOf, ({ target }) => target.node);
  const waiting = new Map([...index.nodes.keys()].map((id) => [id, before(id).length]));
  const ready = [...waiting].filter(([, count]) => count === 0).map(([id]) => id);
  // The list grows while we iterate over it.
  for (const id of ready)
    for (const next of after(id)) {
      const count = waiting.get(next)! - 1;
      waiting.set(next, count);
      if (count === 0) ready.push(next);
    }
  if (ready.length < index.nodes.size) {
    const stuck = new Set([...waiting].filter(([, count]) => count > 0).map(([id]) => id));
    return { cycles: cyclesIn(stuck, after).map((cycle) => cycleFinding(index, cycle)) };
  }
  const nodes = ready.map((id) => index.nodes.get(id)!);
  const rank = new Map(ready.map((id, at) => [id, at]));
  return { order: { nodes, rank, ancestors: searchOf(ready, rank, before) } };
}

function neighbours(
  edges: ValidationIndex["into"],
  other: (edge: Parameters<typeof isDependency>[0]) => string,
): (id: string) => readonly string[] {
  const made = new Map(
    [...edges].map(([id, list]) => [id, [...new Set(list.filter(isDependency).map(other))]]),
  );
  return (id) => made.get(id) ?? [];
}

/** Disjoint cycles; every node that waits for itself is on one or leads to one. */
function cyclesIn(
  stuck: ReadonlySet<string>,
  after: (id: string) => readonly string[],
): string[][] {
  const cycles: string[][] = [];
  const seen = new Set<string>();
  const reported = new Set<string>();
  for (const start of stuck) {
    if (seen.has(start)) continue;
    seen.add(start);
    const path = [{ id: start, next: 0 }];
    const onPath = new Map([[start, 0]]);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = after(top.id)[top.next];
      top.next += 1;
      if (next === undefined) {
        onPath.delete(top.id);
        path.pop();
      } else if (onPath.has(next) && !reported.has(next) && !reported.has(top.id)) {
        const cycle = path.slice(onPath.get(next)).map(({ id }) => id);
        for (const id of cycle) reported.add(id);
        cycles.push(cycle);
      } else if (!seen.has(next) && stuck.has(next)) {
        seen.add(next);
        onPath.set(next, path.length);
        path.push({ id: next, next: 0 });
      }
    }
  }
  return cycles;
}

/** Longer cycles are shortened in the middle. */
const mostNames = 12;

function cycleFinding(index: ValidationIndex, cycle: readonly string[]): Finding {
  const last = cycle.at(-1)!;
  const first = cycle[0]!;
  const closing = index.outOf
    .get(last)
    ?.find((edge) => isDependency(edge) && edge.target.node === first);
  const names =
    cycle.length > mostNames ? [...cycle.slice(0, mostNames - 2), "…", last] : [...cycle];
  return error(
    closing ?? index.nodes.get(first) ?? null,
    "cycle",
    `These nodes wait for each other: ${[...names, first].join(" → ")}.`,
    "Put the nodes that repeat into a loop and feed back through a dock, or use a retry gate.",
  );
}

/** Works on ranks and reuses its marks, because it is called for every session. */
function searchOf(
  ids: readonly string[],
  rank: ReadonlyMap<string, number>,
  before: (id: string) => readonly string[],
): NodeOrder["ancestors"] {
  const earlier = ids.map((id) => before(id).map((other) => rank.get(other)!));
  const marks = new Int32Array(ids.length);
  let mark = 0;
  return (start, lowest) => {
    mark += 1;
    const own = mark;
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const other of earlier[at]!)
        if (other >= lowest && marks[other] !== own) {
          marks[other] = own;
          open.push(other);
        }
    return { has: (other) => marks[other] === own };
  };
}
