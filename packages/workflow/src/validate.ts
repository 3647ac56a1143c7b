/** Finds errors and warnings in a graph before a run of it is started. */

import { checkAgents } from "./check/agents.ts";
import { guardsOf } from "./check/branches.ts";
import { checkEdges } from "./check/edges.ts";
import { checkGates } from "./check/gates.ts";
import { indexGraph, nodesById } from "./check/graph-index.ts";
import { checkLoops } from "./check/loops.ts";
import { checkNames } from "./check/names.ts";
import { orderOf } from "./check/order.ts";
import { checkReach } from "./check/reach.ts";
import { checkSessionAgents } from "./check/session-agents.ts";
import { checkSessions } from "./check/sessions.ts";
import type { Finding } from "./finding.ts";
import type { Graph } from "./graph.ts";

/** Errors and warnings in the order of the file. */
export function validate(graph: Graph): Finding[] {
  const nodes = nodesById(graph);
  const names = checkNames(graph, nodes);
  // If a loop contains itself, the nesting is undefined.
  if (names.some(({ code }) => code === "loop-in-itself")) return inOrder(names);
  const { findings: edges, sound } = checkEdges(graph, nodes);
  const index = indexGraph(nodes, sound);
  const found = orderOf(index);
  const order = "order" in found ? found.order : null;
  const branches = order && guardsOf(index, order);
  return inOrder([
    ...names,
    ...edges,
    ...("cycles" in found ? found.cycles : []),
    ...(order && branches
      ? [...branches.findings, ...checkSessions(index, order, branches.guards)]
      : []),
    ...checkLoops(index),
    ...checkAgents(index),
    ...checkSessionAgents(index),
    ...checkGates(index, order),
    ...checkReach(index),
  ]);
}

function inOrder(findings: readonly Finding[]): Finding[] {
  const place = ({ position }: Finding) => position ?? { line: 0, column: 0 };
  return findings.toSorted((left, right) => {
    const [one, other] = [place(left), place(right)];
    return one.line - other.line || one.column - other.column;
  });
}
