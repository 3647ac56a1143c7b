/** Checks that both ends of each edge exist and are in the same frame. */

import type { Finding } from "../finding.ts";
import type { Edge, Graph, GraphNode, LoopNode } from "../graph.ts";
import { enclosingLoop, loopsAround } from "./graph-index.ts";
import { type Ports, place, portsOf, typeProblem } from "./types.ts";
import { error, speller } from "./wording.ts";

type Spell = ReturnType<typeof speller>;

/** The findings, and the edges that a run could follow. */
export function checkEdges(
  { edges }: Graph,
  nodes: ReadonlyMap<string, GraphNode>,
): { findings: Finding[]; sound: Edge[] } {
  const spell = speller();
  const ports = portsOf();
  const ids = [...nodes.keys()];
  const findings: Finding[] = [];
  const sound: Edge[] = [];
  for (const edge of edges) {
    const source = nodes.get(edge.source.node);
    const target = nodes.get(edge.target.node);
    if (!source || !target) {
      for (const id of new Set([edge.source.node, edge.target.node]))
        if (!nodes.has(id))
          findings.push(
            error(
              edge,
              "unknown-node",
              `There is no node "${id}".`,
              spell(id, ids, "Name a node of this file."),
            ),
          );
      continue;
    }
    const ends = [
      ...sourceProblem(edge, source, ports, spell),
      ...targetProblem(edge, target, ports, spell),
    ];
    const wrong = ends.length > 0 ? ends : borderProblem(edge, source, target, nodes);
    findings.push(...(wrong.length > 0 ? wrong : typeProblem(edge, source, target, ports)));
    if (wrong.length === 0) sound.push(edge);
  }
  return { findings, sound };
}

function sourceProblem(edge: Edge, node: GraphNode, ports: Ports, spell: Spell): Finding[] {
  const { source } = edge;
  // An edge that only waits passes no value, whatever its port is called.
  if (edge.target.to === "wait") return [];
  if (source.from === "output")
    return portProblem(edge, node, "output", source.port, ports(node.outputs), spell);
  if (node.type !== "loop") return [noLoop(edge, node)];
  switch (source.from) {
    case "loop-input":
      return portProblem(edge, node, "input", source.port, ports(node.inputs), spell);
    case "iteration":
      return [];
    case "previous":
      return dockProblem(edge, node, source.dock, ["feedback"], spell);
  }
}

function targetProblem(edge: Edge, node: GraphNode, ports: Ports, spell: Spell): Finding[] {
  const { target } = edge;
  if (node.type === "trigger")
    return [
      error(
        edge,
        "edge-into-trigger",
        `An edge leads into the trigger "${node.id}".`,
        "A trigger has no inputs. Pass the value to the node that needs it.",
      ),
    ];
  if (target.to === "wait") return [];
  if (target.to === "input")
    return portProblem(edge, node, "input", target.port, ports(node.inputs), spell);
  if (node.type !== "loop") return [noLoop(edge, node)];
  return target.to === "loop-output"
    ? portProblem(edge, node, "output", target.port, ports(node.outputs), spell)
    : dockProblem(edge, node, target.dock, ["feedback", "continue", "until"], spell);
}

function portProblem(
  edge: Edge,
  node: GraphNode,
  side: "input" | "output",
  port: string,
  known: ReadonlyMap<string, unknown>,
  spell: Spell,
): Finding[] {
  if (known.has(port)) return [];
  return [
    error(
      edge,
      "unknown-port",
      `Node "${node.id}" has no ${side} "${port}".`,
      spell(port, [...known.keys()], known.size === 0 ? `It has no ${side}s.` : undefined),
    ),
  ];
}

function dockProblem(
  edge: Edge,
  loop: LoopNode,
  name: string,
  types: readonly string[],
  spell: Spell,
): Finding[] {
  const dock = loop.docks.find((candidate) => candidate.name === name);
  const fitting = loop.docks.filter(({ type }) => types.includes(type));
  if (!dock)
    return [
      error(
        edge,
        "unknown-dock",
        `Loop "${loop.id}" has no dock "${name}".`,
        spell(
          name,
          fitting.map((other) => other.name),
          `Declare it in dockSlots, as ${types.join(" or ")}.`,
        ),
      ),
    ];
  if (types.includes(dock.type)) return [];
  return [
    error(
      edge,
      "wrong-dock",
      `The dock "${name}" of loop "${loop.id}" has the type ${dock.type}, which cannot be used like this.`,
      `Use a dock of type ${types.join(" or ")}.`,
    ),
  ];
}

function noLoop(edge: Edge, node: GraphNode): Finding {
  return error(
    edge,
    "not-a-loop",
    `Node "${node.id}" is a ${node.type} node, so it has no docks and no internal ports.`,
    "Use one of its inputs or outputs, or put the node into a loop.",
  );
}

function borderProblem(
  edge: Edge,
  source: GraphNode,
  target: GraphNode,
  nodes: ReadonlyMap<string, GraphNode>,
): Finding[] {
  const from = enclosingLoop(edge.source, source);
  const to = enclosingLoop(edge.target, target);
  if (from === to) return [];
  const isInside = (node: GraphNode, loop: string | null) =>
    loop !== null && (node.id === loop || loopsAround(node, nodes).some(({ id }) => id === loop));
  const enters = from === null || isInside(target, from);
  const leaves = to === null || isInside(source, to);
  const way = enters
    ? `Give the loop "${to}" an input, and wire from its input:NAME:internal inside.`
    : `Give the loop "${from}" an output, wire to its output:NAME:internal inside, and read that outside.`;
  return [
    error(
      edge,
      "edge-crosses-loop",
      `The edge from ${place(edge.source)} to ${place(edge.target)} crosses the border of ${
        enters
          ? `the loop "${to}"`
          : leaves
            ? `the loop "${from}"`
            : `the loops "${from}" and "${to}"`
      }.`,
      way,
    ),
  ];
}
