/** Checks names: nodes, parents, triggers, inputs and outputs of the workflow. */

import type { Finding } from "../finding.ts";
import type { Graph, GraphNode, OutputNode } from "../graph.ts";
import { grouped } from "./graph-index.ts";
import { error, quoted, speller } from "./wording.ts";

export function checkNames(graph: Graph, nodes: ReadonlyMap<string, GraphNode>): Finding[] {
  return [
    ...sameIds(graph, nodes),
    ...containers(graph, nodes),
    ...triggers(graph),
    ...sameInputs(graph),
    ...sameOutputs(graph),
  ];
}

function sameIds({ nodes: all }: Graph, nodes: ReadonlyMap<string, GraphNode>): Finding[] {
  return all
    .filter((node) => nodes.get(node.id) !== node)
    .map((node) => {
      const line = nodes.get(node.id)?.position?.line;
      const where = line === undefined ? "" : ` (the first is in line ${line})`;
      return error(
        node,
        "duplicate-node",
        `There is more than one node "${node.id}"${where}.`,
        "Give each node its own id.",
      );
    });
}

function containers(graph: Graph, nodes: ReadonlyMap<string, GraphNode>): Finding[] {
  const spell = speller();
  const loops = graph.nodes.filter(({ type }) => type === "loop").map(({ id }) => id);
  const findings = graph.nodes.flatMap((node) => {
    if (node.parent === null) return [];
    const parent = nodes.get(node.parent);
    if (!parent)
      return error(
        node,
        "unknown-node",
        `The parent of node "${node.id}" is "${node.parent}", which does not exist.`,
        spell(node.parent, loops, "Name a loop of this file, or remove parentId."),
      );
    return parent.type === "loop"
      ? []
      : error(
          node,
          "not-a-loop",
          `The parent of node "${node.id}" is "${parent.id}", a ${parent.type} node.`,
          "Only loops can contain nodes.",
        );
  });
  return [...findings, ...ownContainers(graph, nodes)];
}

/** Visits each node once: nodes that led to the top, or to a reported cycle, are remembered. */
function ownContainers(graph: Graph, nodes: ReadonlyMap<string, GraphNode>): Finding[] {
  const known = new Set<string>();
  const findings: Finding[] = [];
  for (const node of graph.nodes) {
    const path = new Set<string>();
    let at: GraphNode | undefined = node;
    while (at && !known.has(at.id) && !path.has(at.id)) {
      path.add(at.id);
      at = at.parent === null ? undefined : nodes.get(at.parent);
    }
    if (at && path.has(at.id))
      findings.push(
        error(
          at,
          "loop-in-itself",
          `Loop "${at.id}" contains itself.`,
          "Remove parentId from the outermost loop.",
        ),
      );
    for (const id of path) known.add(id);
  }
  return findings;
}

function triggers({ nodes }: Graph): Finding[] {
  const found = nodes.filter(({ type }) => type === "trigger");
  return found.flatMap((node, index) => [
    ...(index > 0
      ? [
          error(
            node,
            "several-triggers",
            `There is more than one trigger: ${quoted(found.slice(0, 2).map(({ id }) => id))}.`,
            "Keep one, and make what differs an input of the run.",
          ),
        ]
      : []),
    ...(node.parent !== null
      ? [
          error(
            node,
            "trigger-in-loop",
            `Trigger "${node.id}" is inside the loop "${node.parent}".`,
            "Move it to the top level, and pass its values through the loop's inputs.",
          ),
        ]
      : []),
  ]);
}

function sameInputs({ inputs }: Graph): Finding[] {
  return duplicates(inputs, ({ name }) => name).map(({ name }) =>
    error(
      null,
      "duplicate-input",
      `The workflow has more than one input "${name}".`,
      "Give each input its own name.",
    ),
  );
}

function sameOutputs({ nodes }: Graph): Finding[] {
  const outputs = nodes.filter((node): node is OutputNode => node.type === "output");
  return duplicates(outputs, ({ name }) => name).map((node) =>
    error(
      node,
      "duplicate-output",
      `More than one node produces the output "${node.name}".`,
      "Give each output its own name, or combine the values in a join.",
    ),
  );
}

/** All items but the first with each name. */
export function duplicates<Item>(items: readonly Item[], name: (item: Item) => string): Item[] {
  return [...grouped(items, name).values()].flatMap((group) => group.slice(1));
}
