/** Checks that each loop has a wired condition that can end it. */

import { error, type Finding, quoted, warning } from "../finding.ts";
import type { Dock, Edge, LoopNode } from "../graph.ts";
import { grouped, type ValidationIndex } from "./graph-index.ts";

/** The edges from inside a loop to each of its docks. */
type Feeding = ReadonlyMap<string, readonly Edge[]>;

export function checkLoops(index: ValidationIndex): Finding[] {
  const loops = [...index.nodes.values()].filter((node) => node.type === "loop");
  const filled = new Set([...index.nodes.values()].map(({ parent }) => parent));
  return loops.flatMap((loop) => {
    const feeding = grouped(index.into.get(loop.id) ?? [], ({ target }) =>
      target.to === "dock" ? target.dock : "",
    );
    return [
      ...emptyProblem(loop, filled),
      ...conditionProblem(loop, feeding, index),
      ...feedbackProblem(loop, feeding, index),
      ...maximumProblem(loop, index),
    ];
  });
}

function emptyProblem(loop: LoopNode, filled: ReadonlySet<string | null>): Finding[] {
  return filled.has(loop.id)
    ? []
    : [
        warning(
          loop,
          "empty-loop",
          `The loop "${loop.id}" contains no nodes.`,
          `Set "parentId: ${loop.id}" on the nodes that repeat, or remove the loop.`,
        ),
      ];
}

function conditionProblem(loop: LoopNode, feeding: Feeding, index: ValidationIndex): Finding[] {
  const conditions = loop.docks.filter(({ type }) => type === "continue" || type === "until");
  const [condition, ...others] = conditions;
  if (!condition)
    return [
      warning(
        loop,
        "endless-loop",
        `Only the maximum of ${loop.maxIterations} iterations ends the loop "${loop.id}".`,
        "Give it a dock of type until or continue, and wire a boolean to it.",
      ),
    ];
  if (others.length > 0)
    return [
      error(
        loop,
        "several-conditions",
        `Loop "${loop.id}" has more than one condition: ${quoted(conditions.map(({ name }) => name))}.`,
        "Keep one dock of type until or continue, and combine the values before it.",
      ),
    ];
  const edges = feeding.get(condition.name) ?? [];
  if (edges.length === 0)
    return [
      error(
        loop,
        "unwired-condition",
        `Nothing is wired to the dock "${condition.name}" of loop "${loop.id}", which decides whether the loop continues.`,
        `Wire a boolean from inside the loop to dock:${condition.name}:input.`,
        { port: condition.name },
      ),
    ];
  return constantProblem(loop, condition, edges, index);
}

function constantProblem(
  loop: LoopNode,
  { name, type }: Dock,
  edges: readonly Edge[],
  index: ValidationIndex,
): Finding[] {
  const again = type === "continue";
  return edges.flatMap((edge) => {
    const source = index.nodes.get(edge.source.node);
    if (source?.type !== "constant" || source.value !== again) return [];
    return warning(
      edge,
      "endless-loop",
      `The dock "${name}" of loop "${loop.id}" is always ${again}, so only its maximum of ${loop.maxIterations} iterations ends it.`,
      "Wire a value that changes between iterations.",
    );
  });
}

/** A dock that is read but never written is always null. */
function feedbackProblem(loop: LoopNode, feeding: Feeding, index: ValidationIndex): Finding[] {
  const read = new Set(
    (index.outOf.get(loop.id) ?? []).flatMap(({ source }) =>
      source.from === "previous" ? [source.dock] : [],
    ),
  );
  return loop.docks
    .filter(({ name, type }) => type === "feedback" && read.has(name) && !feeding.has(name))
    .map(({ name }) =>
      warning(
        loop,
        "unwired-dock",
        `Nothing is wired to the dock "${name}" of loop "${loop.id}", so it is null in every iteration.`,
        `Wire a value from inside the loop to dock:${name}:current.`,
        { port: name },
      ),
    );
}

/** Nodes that need the loop also run if it ended at its maximum, and nothing checks that. */
function maximumProblem(loop: LoopNode, { nodes, outOf }: ValidationIndex): Finding[] {
  const isConditional = loop.docks.some(({ type }) => type === "continue" || type === "until");
  if (loop.onMaximum !== null || !isConditional) return [];
  const leaving = (outOf.get(loop.id) ?? []).filter(({ source }) => source.from === "output");
  const readsEnded = leaving.some(
    ({ source, target }) =>
      target.to === "input" && source.from === "output" && source.port === "ended",
  );
  const needing = new Set(
    leaving.map(({ target }) => target.node).filter((id) => nodes.get(id)?.type !== "output"),
  );
  if (readsEnded || needing.size === 0) return [];
  const times = `${loop.maxIterations} ${loop.maxIterations === 1 ? "iteration" : "iterations"}`;
  return [
    warning(
      loop,
      "maximum-passes",
      `Loop "${loop.id}" also ends after ${times} without meeting its condition, and then ${quoted([...needing])} ${needing.size === 1 ? "runs" : "run"} anyway.`,
      "Write onMaximum: fail or done in its data, or branch on its output ended.",
    ),
  ];
}
