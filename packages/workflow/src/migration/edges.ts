/** Migrates the edges of a workflow file: handles that were missing or had another meaning. */

import type { YAMLMap } from "yaml";
import { parseHandle } from "../compile/handle.ts";
import type { Edge, EdgeSource, EdgeTarget, GraphNode } from "../graph.ts";
import type { Edits } from "./edits.ts";
import { renamesDock } from "./nodes.ts";

export interface EdgeInFile {
  readonly place: string;
  readonly map: YAMLMap;
  readonly value: Readonly<Record<string, unknown>>;
  /** The edges that the loader made of it. */
  readonly made: readonly Edge[];
}

export function updateEdge(
  edits: Edits,
  edge: EdgeInFile,
  nodes: ReadonlyMap<string, GraphNode>,
): void {
  const { made, value } = edge;
  const from = made.find(({ source }) => source.node === String(value.source))?.source;
  const to = made.find(({ target }) => target.node === String(value.target))?.target;
  if (from) write(edits, edge, "source", sourceHandle(from, value.sourceHandle, nodes));
  if (to) write(edits, edge, "target", targetHandle(to, nodes));
}

function write(
  edits: Edits,
  { place, map, value }: EdgeInFile,
  side: "source" | "target",
  handle: string | null,
): void {
  const key = `${side}Handle`;
  if (handle === null || value[key] === handle) return;
  if (map.has(key)) {
    if (means(value[key], handle)) return;
    edits.set(place, map, key, handle);
  } else if (!(key in value)) edits.insert(place, map, [side], key, handle);
}

/** `dock:x:input` and `dock:x:current` are one place, as are `dock:x:output` and `dock:x:prev`. */
function means(written: unknown, handle: string): boolean {
  const [one, other] = [parseHandle(String(written ?? "")), parseHandle(handle)];
  return one?.at === "dock" && other?.at === "dock" && one.name === other.name;
}

function sourceHandle(
  source: EdgeSource,
  written: unknown,
  nodes: ReadonlyMap<string, GraphNode>,
): string | null {
  switch (source.from) {
    case "output":
      return `output:${source.port}`;
    case "loop-input":
      return `input:${source.port}:internal`;
    case "previous":
      return `dock:${dockName(nodes, source.node, source.dock)}:prev`;
    case "iteration":
      // Only the file's author knows which of its docks was meant.
      return typeof written === "string" ? written : null;
  }
}

function targetHandle(target: EdgeTarget, nodes: ReadonlyMap<string, GraphNode>): string {
  switch (target.to) {
    case "input":
      return `input:${target.port}`;
    case "wait":
      return "wait";
    case "loop-output":
      return `output:${target.port}:internal`;
    case "dock": {
      const loop = nodes.get(target.node);
      const dock = loop?.type === "loop" && loop.docks.find(({ name }) => name === target.dock);
      const side = dock && dock.type === "feedback" ? "current" : "input";
      return `dock:${dockName(nodes, target.node, target.dock)}:${side}`;
    }
  }
}

function dockName(nodes: ReadonlyMap<string, GraphNode>, loop: string, dock: string): string {
  const node = nodes.get(loop);
  return node && renamesDock(node, dock) ? "until" : dock;
}
