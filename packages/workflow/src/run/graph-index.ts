/** A graph indexed by names, built once per graph. */

import type { AgentNode, Edge, Graph, GraphNode, Port, SessionName } from "../graph.ts";

export interface GraphIndex {
  readonly nodes: ReadonlyMap<string, NodeIndex>;
  /** Nodes of the whole run. */
  readonly top: readonly GraphNode[];
  /** For each session of scope run, the innermost loop that contains all nodes that name it; null for the run. */
  readonly containers: ReadonlyMap<string, string | null>;
  readonly retryTargets: ReadonlySet<string>;
  /** Filled by `downstream`. */
  readonly downstream: Map<string, ReadonlySet<string>>;
}

export interface NodeIndex {
  readonly node: GraphNode;
  /** The declared inputs, and those that only an edge names. */
  readonly ports: readonly Port[];
  /** Edges to each input, in the order of the file. */
  readonly inputs: ReadonlyMap<string, readonly Edge[]>;
  readonly waits: readonly Edge[];
  /** Nodes of the same frame that it waits for, each once. */
  readonly sources: readonly string[];
  /** Nodes of the same frame that wait for it, each once. */
  readonly successors: readonly string[];
  /** For a loop: its nodes, and the edges from inside to its docks and outputs. */
  readonly children: readonly GraphNode[];
  readonly docks: ReadonlyMap<string, readonly Edge[]>;
  readonly outputs: ReadonlyMap<string, readonly Edge[]>;
}

const indexes = new WeakMap<Graph, GraphIndex>();

export function graphIndex(graph: Graph): GraphIndex {
  const known = indexes.get(graph);
  if (known) return known;
  const made = build(graph);
  indexes.set(graph, made);
  return made;
}

export function nodeIndex(graph: Graph, id: string): NodeIndex {
  const found = graphIndex(graph).nodes.get(id);
  if (!found) throw new Error(`The workflow has no node "${id}".`);
  return found;
}

/** The session that a node continues by name; the target of a retry gate has its own. */
export function sessionNameOf(graph: Graph, node: AgentNode): SessionName | null {
  return nameIn(graphIndex(graph).retryTargets, node);
}

function nameIn(retryTargets: ReadonlySet<string>, node: AgentNode): SessionName | null {
  if (node.session || node.mode === "inherit_resume") return node.session;
  return retryTargets.has(node.id) ? { name: node.id, scope: "run" } : null;
}

interface Building {
  readonly node: GraphNode;
  readonly inputs: Map<string, Edge[]>;
  readonly waits: Edge[];
  readonly sources: Set<string>;
  readonly successors: Set<string>;
  readonly children: GraphNode[];
  readonly docks: Map<string, Edge[]>;
  readonly outputs: Map<string, Edge[]>;
}

function build(graph: Graph): GraphIndex {
  const nodes = new Map<string, Building>(graph.nodes.map((node) => [node.id, empty(node)]));
  for (const node of graph.nodes)
    if (node.parent !== null) nodes.get(node.parent)?.children.push(node);
  for (const edge of graph.edges) addEdge(nodes, edge);
  const retryTargets = new Set(
    graph.nodes.flatMap((node) => (node.type === "retry-gate" ? [node.retryTarget] : [])),
  );
  return {
    nodes: new Map([...nodes].map(([id, building]) => [id, finished(building)])),
    top: graph.nodes.filter(({ parent }) => parent === null),
    containers: containers(graph, retryTargets),
    retryTargets,
    downstream: new Map(),
  };
}

function empty(node: GraphNode): Building {
  return {
    node,
    inputs: new Map(),
    waits: [],
    sources: new Set(),
    successors: new Set(),
    children: [],
    docks: new Map(),
    outputs: new Map(),
  };
}

function addEdge(nodes: Map<string, Building>, edge: Edge): void {
  const { source, target, back } = edge;
  const into = nodes.get(target.node);
  if (!into) return;
  if (target.to === "input") push(into.inputs, target.port, edge);
  if (target.to === "wait") into.waits.push(edge);
  if (target.to === "dock") push(into.docks, target.dock, edge);
  if (target.to === "loop-output") push(into.outputs, target.port, edge);
  const isWaitedFor = target.to === "input" || target.to === "wait";
  if (source.from !== "output" || back || !isWaitedFor) return;
  into.sources.add(source.node);
  nodes.get(source.node)?.successors.add(target.node);
}

function push(map: Map<string, Edge[]>, name: string, edge: Edge): void {
  const edges = map.get(name);
  if (edges) edges.push(edge);
  else map.set(name, [edge]);
}

function finished(building: Building): NodeIndex {
  const { node, inputs, sources, successors } = building;
  const declared = new Set(node.inputs.map(({ name }) => name));
  const named: Port[] = [...inputs.keys()]
    .filter((name) => !declared.has(name))
    .map((name) => ({ name, type: "any", required: false, description: null }));
  return {
    ...building,
    ports: [...node.inputs, ...named],
    sources: [...sources],
    successors: [...successors],
  };
}

function containers(
  graph: Graph,
  retryTargets: ReadonlySet<string>,
): ReadonlyMap<string, string | null> {
  const parents = new Map(graph.nodes.map(({ id, parent }) => [id, parent]));
  const found = new Map<string, string | null>();
  for (const node of graph.nodes) {
    if (node.type !== "agent") continue;
    for (const session of [nameIn(retryTargets, node), node.fork]) {
      if (session?.scope !== "run") continue;
      const known = found.get(session.name);
      found.set(
        session.name,
        known === undefined ? node.parent : common(known, node.parent, parents),
      );
    }
  }
  return found;
}

function common(
  one: string | null,
  other: string | null,
  parents: ReadonlyMap<string, string | null>,
): string | null {
  const around = new Set<string | null>();
  for (let loop = one; loop !== null; loop = parents.get(loop) ?? null) around.add(loop);
  for (let loop = other; loop !== null; loop = parents.get(loop) ?? null)
    if (around.has(loop)) return loop;
  return null;
}
