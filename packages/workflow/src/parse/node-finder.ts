/** Finds the node in whose text a position is, in either form and also in a file with errors. */

import type { Position } from "../graph.ts";
import type { Path, YamlSource } from "./source.ts";

/** Null for a position that is in no node. */
export function nodeFinder(source: YamlSource): (at: Position | null) => string | null {
  const { nodes, steps } = (source.value ?? {}) as { nodes?: unknown; steps?: unknown };
  const found = [...nodesIn(nodes), ...stepsIn(steps, ["steps"])].map(({ id, path }) => ({
    id,
    ...source.range(path),
  }));
  return (at) =>
    at === null
      ? null
      : (found.findLast(({ start, end }) => isBefore(start, at) && isBefore(at, end))?.id ?? null);
}

interface Written {
  readonly id: string;
  readonly path: Path;
}

function* nodesIn(nodes: unknown): Iterable<Written> {
  if (!Array.isArray(nodes)) return;
  for (const [index, node] of nodes.entries()) {
    const id = node?.id;
    if (typeof id === "string" || typeof id === "number")
      yield { id: String(id), path: ["nodes", index] };
  }
}

/** A loop before its steps, so that the innermost step is the last that has a position. */
function* stepsIn(steps: unknown, at: Path): Iterable<Written> {
  if (typeof steps !== "object" || steps === null || Array.isArray(steps)) return;
  for (const [id, step] of Object.entries(steps)) {
    const path = [...at, id];
    yield { id, path };
    yield* stepsIn(step?.loop?.steps, [...path, "loop", "steps"]);
  }
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.column <= other.column);
}
