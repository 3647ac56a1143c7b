/** Checks that every node is reachable and that its required inputs are wired. */

import { error, type Finding, warning } from "../finding.ts";
import type { GraphNode } from "../graph.ts";
import { type ValidationIndex, wiredInputs } from "./graph-index.ts";

export function checkReach(index: ValidationIndex): Finding[] {
  return [...unreachable(index), ...unwired(index)];
}

/** Node types that start without an edge. */
const starts: readonly GraphNode["type"][] = ["trigger", "constant", "workdir"];

/** Only in files with a wired trigger; without one, every node that waits for nothing starts at once. */
function unreachable({ nodes, into, outOf }: ValidationIndex): Finding[] {
  const all = [...nodes.values()];
  const trigger = all.find(({ id, type }) => type === "trigger" && outOf.has(id));
  if (!trigger) return [];
  return all
    .filter(({ id, type, parent }) => parent === null && !starts.includes(type) && !isLedTo(id))
    .map((node) =>
      warning(
        node,
        "unreachable-node",
        `Node "${node.id}" cannot be reached from the trigger "${trigger.id}", so it starts at once when the run starts.`,
        "Wire it to the node that it should follow, or remove it.",
      ),
    );

  // The edges into a loop's docks come from its own inside.
  function isLedTo(id: string): boolean {
    return (into.get(id) ?? []).some(({ target }) => target.to === "input" || target.to === "wait");
  }
}

function unwired(index: ValidationIndex): Finding[] {
  return [...index.nodes.values()].flatMap((node) => {
    const wired = wiredInputs(node, index);
    return node.inputs
      .filter(({ name, required, ...port }) => required && !("default" in port) && !wired.has(name))
      .map(({ name }) =>
        error(
          node,
          "unwired-input",
          `Nothing is wired to the required input "${name}" of node "${node.id}".`,
          "Wire a value to it, give it a default, or set required: false.",
          { port: name },
        ),
      );
  });
}
