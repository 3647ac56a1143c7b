/** Finds errors and warnings in a graph before a run of it is started. */

import type { Finding } from "./finding.ts";
import type { Graph } from "./graph.ts";
import { checkAgents } from "./validation/agents.ts";
import { guardsOf } from "./validation/branches.ts";
import { checkEdges } from "./validation/edges.ts";
import { checkGates } from "./validation/gates.ts";
import { indexGraph, nodesById } from "./validation/graph-index.ts";
import { checkLoops } from "./validation/loops.ts";
import { checkNames } from "./validation/names.ts";
import { orderOf } from "./validation/order.ts";
import { checkReach } from "./validation/reach.ts";
import { checkSessionAgents } from "./validation/session-agents.ts";
import { checkSessions } from "./validation/sessions.ts";

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
