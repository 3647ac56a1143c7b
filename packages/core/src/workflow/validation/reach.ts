/** Checks that nodes are led to, and that the inputs which they cannot do without are wired. */

import type { Finding } from "../finding.ts";
import type { GraphNode } from "../graph.ts";
import { type ValidationIndex, wiredInputs } from "./graph-index.ts";
import { error, warning } from "./wording.ts";

export function checkReach(index: ValidationIndex): Finding[] {
  return [...unreachable(index), ...unwired(index)];
}

/** These begin by their nature. */
const starts: readonly GraphNode["type"][] = ["trigger", "constant", "workdir"];

/** Only where a trigger leads on: a file without one begins with all that waits for nothing. */
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
        `Nothing leads from the trigger "${trigger.id}" to node "${node.id}", so it starts with the run, beside everything else.`,
        "Wire it to what it follows, or remove it.",
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
          `Nothing is wired to the input "${name}" of node "${node.id}", which it needs.`,
          "Wire a value to it, give it a default, or declare it with required: false.",
        ),
      );
  });
}
