/**
 * Finds errors and warnings in a graph before a run of it is started. The ends of its edges exist and are in
 * one frame: a file in which they are not has no graph, and the compiler says why.
 */

import type { CompileOptions } from "../compile/compile.ts";
import type { Finding } from "../finding.ts";
import { FindingReport, type Near } from "../findings.ts";
import { formatVersion } from "../format-version.ts";
import type { Graph } from "../graph.ts";
import { checkAgents } from "./agents.ts";
import { guardsOf } from "./branches.ts";
import { checkEdges } from "./edges.ts";
import { checkGates } from "./gates.ts";
import { indexGraph } from "./graph-index.ts";
import { checkLoops } from "./loops.ts";
import { checkNames } from "./names.ts";
import { orderOf } from "./order.ts";
import { checkReach } from "./reach.ts";
import { checkSessionAgents } from "./session-agents.ts";
import { checkSessions } from "./sessions.ts";
import { checkUnused } from "./unused.ts";

export type CheckOptions = Pick<CompileOptions, "format" | "runners" | "unknownRunners">;

export function checkGraph(
  graph: Graph,
  report = new FindingReport(),
  options: CheckOptions = { format: formatVersion, runners: null, unknownRunners: "error" },
): Finding[] {
  const near: Near = (...args) => report.near(...args);
  const index = indexGraph(graph);
  const found = orderOf(index);
  const order = "order" in found ? found.order : null;
  const branches = order && guardsOf(index, order);
  return [
    ...checkNames(graph),
    ...checkEdges(graph, index),
    ...("cycles" in found ? found.cycles : []),
    ...(order && branches
      ? [...branches.findings, ...checkSessions(index, order, branches.guards)]
      : []),
    ...checkLoops(index),
    ...checkAgents(index, near, options),
    ...checkSessionAgents(index),
    ...checkGates(index, order, near),
    ...checkReach(index),
    ...checkUnused(index, options),
  ];
}
