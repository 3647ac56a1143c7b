/** Migrates a workflow file: older words become current ones, and what the loader's rules settle is written
 * out. Only the places that change are touched, so comments and layout stay.
 */

import {
  isAlias,
  isMap,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { parseHandle } from "./compile/handle.ts";
import type { Finding } from "./finding.ts";
import type { Edge, Graph, GraphNode, Position } from "./graph.ts";
import { type LoadOptions, load } from "./load.ts";
import { type EdgeInFile, updateEdge } from "./migration/edges.ts";
import { type Change, Edits, keyOf } from "./migration/edits.ts";
import { declarePorts, updateNode, type WrittenPart } from "./migration/nodes.ts";

export interface Migrated {
  readonly text: string;
  /** Empty if the file was up to date. */
  readonly changes: readonly Change[];
}

/** A change may require another one: a written handle names a port that must be declared. */
const mostPasses = 5;

/** The loader's rules that are written out; older words are all found in the first pass. */
const settled: ReadonlySet<string> = new Set([
  "implied-node-type",
  "implied-session",
  "implied-source-handle",
  "implied-target-handle",
  "bare-handle",
  "created-port",
  "inverted-continue",
  "task-for-iteration",
]);

/** The file as it should be, or why it cannot be read. */
export function migrateFile(
  text: string,
  options: Pick<LoadOptions, "runners"> = {},
): Migrated | { findings: readonly Finding[] } {
  const changes: Change[] = [];
  let current = text;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    const { graph, findings } = load(current, options);
    if (graph === null)
      return { findings: findings.filter(({ severity }) => severity === "error") };
    const isOpen = findings.some(({ code }) => settled.has(code)) || isUnused(current);
    if (pass > 0 && !isOpen) break;
    const edits = new Edits(current);
    update(edits, current, graph, findings);
    if (edits.changes.length === 0) break;
    changes.push(...edits.changes);
    current = edits.apply();
  }
  return { text: current, changes };
}

function update(edits: Edits, text: string, graph: Graph, findings: readonly Finding[]): void {
  const file = readFile(text, graph);
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  for (const part of file.parts) updateNode(edits, part);
  for (const { place, map, type } of file.bare)
    edits.insert(place, map, ["type", "id"], "data", { nodeType: type });
  for (const edge of file.edges) updateEdge(edits, edge, nodes);
  const parts = new Map(file.parts.map((part) => [part.node.id, part]));
  const created = new Set(
    findings.flatMap(({ code, position }) => (code === "created-port" ? [placeKey(position)] : [])),
  );
  const named = file.edges
    .flatMap((edge) => portsOf(edge, file.positionOf))
    .filter(({ position }) => created.has(position));
  // All ports of one side at once, because their list may have to be created.
  for (const ports of Map.groupBy(named, ({ node, side }) => `${side} ${node}`).values()) {
    const { node, side } = ports[0]!;
    const part = parts.get(node);
    const names = new Set(ports.map(({ name }) => name));
    if (part && !part.shared) declarePorts(edits, part, side, [...names]);
  }
  if (isUnused(text)) edits.remove("the file", file.root, "legacyPersistentResumes");
}

/** The setting for an older word that is no longer there. */
function isUnused(text: string): boolean {
  return text.includes("legacyPersistentResumes") && !text.includes("session_type");
}

type PositionOf = (node: Node | null | undefined) => string;

/** The ports that an edge names, with their position. */
function portsOf({ map, value }: EdgeInFile, positionOf: PositionOf) {
  return (["source", "target"] as const).flatMap((end) => {
    const handle = parseHandle(String(value[`${end}Handle`] ?? ""));
    if (handle?.at !== "input" && handle?.at !== "output") return [];
    return {
      node: String(value[end]),
      side: `${handle.at}s` as "inputs" | "outputs",
      name: handle.name,
      position: positionOf(map.get(`${end}Handle`, true) as Node | undefined),
    };
  });
}

function readFile(text: string, graph: Graph) {
  const lines = new LineCounter();
  const document = parseDocument(text, { merge: true, lineCounter: lines });
  const root = document.contents;
  if (!isMap(root)) throw new Error("a workflow that was loaded is a mapping");
  const positionOf: PositionOf = (node) => {
    const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
    return placeKey({ line, column: col });
  };
  const nodes = Map.groupBy(graph.nodes, ({ position }) => placeKey(position));
  const edges = Map.groupBy(graph.edges, ({ position }) => placeKey(position));
  const referred = new Set<string>();
  visit(document, { Alias: (_, { source }) => void referred.add(source) });
  const value = document.toJS() as Written;
  const parts: WrittenPart[] = [];
  const bare: { place: string; map: YAMLMap; type: GraphNode["type"] }[] = [];
  const written: EdgeInFile[] = [];
  const nodeAt = (at: Node) => nodes.get(positionOf(at))?.[0];
  const isShared = (node: Node & { anchor?: string }) => referred.has(node.anchor ?? "");
  if (isMap(root.get("steps"))) addSteps(root.get("steps", true), value.steps);
  for (const [at, item] of itemsOf(root.get("nodes", true)))
    addNode(item, asWritten(value.nodes, at));
  for (const [at, item] of itemsOf(root.get("edges", true))) {
    const own = asWritten(value.edges, at);
    if (isMap(item) && !isShared(item))
      written.push({
        place: `edge ${own.source} → ${own.target}`,
        map: item,
        value: own,
        made: edges.get(positionOf(item)) ?? ([] as Edge[]),
      });
  }
  return { root, parts, bare, edges: written, positionOf };

  function addNode(item: Node, own: Written): void {
    const node = nodeAt(item);
    if (!node || !isMap(item)) return;
    const data = item.get("data", true);
    if (isMap(data) && data.items.length > 0)
      addPart(node, data, asWritten(own, "data"), "long", isShared(item));
    else if (!("data" in own) && !isShared(item))
      bare.push({ place: `node ${node.id}`, map: item, type: node.type });
  }

  function addSteps(steps: unknown, own: unknown): void {
    if (!isMap(steps)) return;
    for (const pair of steps.items as Pair<Node, Node | null>[]) {
      const step = pair.value;
      const node = isAlias(step) ? undefined : nodeAt(pair.key);
      if (!isMap(step)) continue;
      const mine = asWritten(own, keyOf(pair));
      if (node) addPart(node, step, mine, "short", false);
      const loop = step.get("loop", true);
      if (isMap(loop)) addSteps(loop.get("steps", true), asWritten(mine, "loop").steps);
    }
  }

  function addPart(
    node: GraphNode,
    map: WrittenPart["map"],
    own: Written,
    form: WrittenPart["form"],
    sharedAround: boolean,
  ): void {
    const shared = sharedAround || isShared(map);
    parts.push({ place: `node ${node.id}`, map, value: own, node, shared, form });
  }
}

type Written = Readonly<Record<string, unknown>>;

function asWritten(holder: unknown, key: string | number): Written {
  const value = (holder as Record<string | number, unknown> | undefined)?.[key];
  return typeof value === "object" && value !== null ? (value as Written) : {};
}

function itemsOf(list: unknown): [number, Node][] {
  return isSeq(list) ? ([...list.items.entries()] as [number, Node][]) : [];
}

function placeKey(position: Position | null): string {
  return position === null ? "" : `${position.line}:${position.column}`;
}
