/** The implied behaviour of a workflow: on a rejection, on an error, whose session and whose feedback. */

import type { Edge, Graph, GraphNode } from "./graph.ts";
import { behind, conditionsOn, type RefusalKind } from "./run/conditions.ts";
import { graphIndex, nodeIndex, sessionNameOf } from "./run/graph-index.ts";

/** A few words for each behaviour of a node; none if nothing is implied. */
export function impliedFor(graph: Graph, node: GraphNode): string[] {
  return [...refusals(graph, node), ...session(graph, node), ...feedback(graph, node)];
}

function refusals(graph: Graph, node: GraphNode): string[] {
  switch (node.type) {
    case "gate":
      return [`on reject: ${onReject(graph, node)}`, ...onError(graph, node)];
    case "retry-gate":
      return [...notPassed(graph, node), ...onError(graph, node)];
    case "loop":
      return [...atMaximum(node), ...onError(graph, node)];
    case "agent":
    case "shell":
    case "function":
    case "workdir":
      return onError(graph, node);
    default:
      return [];
  }
}

const continues = "what needs it runs anyway";

function onReject(graph: Graph, node: Extract<GraphNode, { type: "gate" }>): string {
  if (node.onReject === "continue") return continues;
  return node.onReject === "fail" ? "the run fails" : refused(graph, node, "rejected");
}

function notPassed(graph: Graph, node: Extract<GraphNode, { type: "retry-gate" }>): string[] {
  if (node.onMaximum === "fail") return ["not passed: it fails"];
  return [
    `not passed: ${node.onMaximum === "done" ? continues : refused(graph, node, "rejected")}`,
  ];
}

function atMaximum({ docks, onMaximum }: Extract<GraphNode, { type: "loop" }>): string[] {
  if (!docks.some(({ type }) => type === "continue" || type === "until")) return [];
  if (onMaximum === "fail") return ["at its maximum: it fails"];
  return [`at its maximum: it is done${onMaximum === "done" ? "" : ", unless a no decided"}`];
}

/** Empty if a failure fails the run, as it does by default. */
function onError(graph: Graph, node: GraphNode): string[] {
  if (node.onError === "continue") return [`on error: ${continues}`];
  const isRead = readersOf(graph, node, "failed").length > 0;
  if (node.onError === "fail" || (node.onError === null && !isRead)) return [];
  return [`on error: ${refused(graph, node, "failed")}`];
}

/** Which nodes read it, which are skipped, and how the run ends if no condition reads it. */
function refused(graph: Graph, node: GraphNode, refusal: RefusalKind): string {
  const readers = readersOf(graph, node, refusal);
  const { nodes } = conditionsOn(graph, node.id, refusal);
  const skipped = nodeIndex(graph, node.id).successors.filter((id) => {
    const { type } = nodeIndex(graph, id).node;
    if (nodes.has(id) || type === "output" || type === "join") return false;
    // Nodes after a branch depend on its outcome.
    return ![...nodes].some((branch) =>
      ["true", "false"].some((outcome) => behind(graph, branch, outcome).has(id)),
    );
  });
  const whole = node.parent === null ? "the run is rejected" : `${node.parent} ends with it`;
  const parts = [
    ...(readers.length > 0
      ? [`${listed(readers)} ${readers.length === 1 ? "reads" : "read"} it`]
      : []),
    ...(skipped.length > 0
      ? [`${listed(skipped)} ${skipped.length === 1 ? "is" : "are"} skipped`]
      : []),
    ...(readers.length === 0 && refusal === "rejected" ? [whole] : []),
  ];
  return parts.join(", ") || "nothing else";
}

function readersOf(graph: Graph, { id, parent }: GraphNode, refusal: RefusalKind): string[] {
  const { inFrame, decidesLoop } = conditionsOn(graph, id, refusal);
  return [...new Set([...(decidesLoop && parent !== null ? [parent] : []), ...inFrame])];
}

const most = 4;

/** `a, b and c`; many are counted. */
function listed(names: readonly string[]): string {
  const shown = names.length > most ? names.slice(0, most - 1) : names;
  const left = names.length - shown.length;
  const all = left > 0 ? [...shown, `${left} more`] : [...shown];
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

function session(graph: Graph, node: GraphNode): string[] {
  const kept = node.type === "agent" ? sessionNameOf(graph, node) : null;
  return kept ? [`keeps the session ${kept.name}`] : [];
}

/** What comes back to an agent from the iteration before, or from a retry gate. */
function feedback(graph: Graph, node: GraphNode): string[] {
  if (node.type !== "agent") return [];
  const edges = [...nodeIndex(graph, node.id).inputs]
    .filter(([port]) => port !== "sessionId")
    .flatMap(([, fed]) => fed);
  const from = [...new Set(edges.flatMap((edge) => givers(graph, edge)))];
  return from.length > 0 ? [`gets ${listed(from)} as feedback`] : [];
}

function givers(graph: Graph, { source, back }: Edge): string[] {
  if (source.from === "output") return back ? [`${source.node}.${source.port}`] : [];
  if (source.from !== "previous") return [];
  const { docks } = graphIndex(graph).nodes.get(source.node) ?? {};
  return (docks?.get(source.dock) ?? []).flatMap(({ source: giver }) =>
    giver.from === "output" ? [`${giver.node}.${giver.port}`] : [],
  );
}
