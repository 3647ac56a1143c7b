/** Checks the triggers, and the names of the workflow's inputs and outputs. */

import { error, type Finding, quoted, warning } from "../finding.ts";
import type { Graph, GraphNode } from "../graph.ts";
import { grouped } from "./graph-index.ts";

export function checkNames({ nodes, inputs }: Graph): Finding[] {
  const triggers = nodes.filter((node) => node.type === "trigger");
  const outputs = nodes.filter((node) => node.type === "output");
  return [
    ...triggers
      .slice(1)
      .map((node) =>
        error(
          node,
          "several-triggers",
          `There is more than one trigger: ${quoted(triggers.slice(0, 2).map(({ id }) => id))}.`,
          "Keep one, and make what differs an input of the run.",
        ),
      ),
    ...triggers
      .filter(({ parent }) => parent !== null)
      .map((node) =>
        error(
          node,
          "trigger-in-loop",
          `Trigger "${node.id}" is inside the loop "${node.parent}".`,
          "Move it to the top level, and pass its values through the loop's inputs.",
        ),
      ),
    ...triggers
      .filter(({ triggerType }) => triggerType !== "manual")
      .map((node) =>
        warning(
          node,
          "not-supported",
          `Trigger "${node.id}" has the type "${node.triggerType}", which starts nothing: this version has only manual triggers.`,
          "Write triggerType: manual, and start the run yourself.",
        ),
      ),
    ...likeAnOutput(nodes),
    ...duplicates(inputs, ({ name }) => name).map(({ name }) =>
      error(
        null,
        "duplicate-input",
        `The workflow has more than one input "${name}".`,
        "Give each input its own name.",
        { port: name },
      ),
    ),
    ...duplicates(outputs, ({ name }) => name).map((node) =>
      error(
        node,
        "duplicate-output",
        `More than one node produces the output "${node.name}".`,
        "Give each output its own name, or combine the values in a join.",
      ),
    ),
  ];
}

/** A reference to `a.b` means the output of `a` in one place, and the step `a.b` in another. */
function likeAnOutput(nodes: readonly GraphNode[]): Finding[] {
  const outputs = new Map(nodes.map(({ id, outputs }) => [id, outputs]));
  return nodes.flatMap((node) => {
    const cut = node.id.lastIndexOf(".");
    const [before, after] = [node.id.slice(0, Math.max(cut, 0)), node.id.slice(cut + 1)];
    // The output nodes of the short form are called outputs.<name>.
    if (node.type === "output" || !outputs.get(before)?.some(({ name }) => name === after))
      return [];
    return [
      warning(
        node,
        "like-an-output",
        `"${node.id}" is a step and also the output "${after}" of "${before}": a template means the output, needs and inputs mean the step.`,
        `Rename the step, for example to ${before}-${after}.`,
      ),
    ];
  });
}

/** All items but the first with each name. */
export function duplicates<Item>(items: readonly Item[], name: (item: Item) => string): Item[] {
  return [...grouped(items, name).values()].flatMap((group) => group.slice(1));
}
