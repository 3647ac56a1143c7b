/** Which agent nodes use the same session: by name, by agent, or by a wired `sessionId`. */

import type { AgentNode, Edge, GraphNode } from "../graph.ts";
import type { ValidationIndex } from "./graph-index.ts";

export interface SharedSession {
  /** For messages: `the session "coder"`. */
  readonly called: string;
  /** The name for `fork`; null if the session has none. */
  readonly name: string | null;
  readonly users: readonly AgentNode[];
}

interface Found {
  readonly called: string;
  readonly name: string | null;
  readonly users: Set<AgentNode>;
  /** The outputs that carry its key. */
  readonly starts: Place[];
}

/** A place on the path of a value: an output of a node, an input of a loop seen from inside, or a dock. */
interface Place {
  readonly from: "output" | "loop-input" | "previous";
  readonly node: string;
  readonly name: string;
}

/** The sessions that more than one node may use. */
export function sharedSessions(index: ValidationIndex): SharedSession[] {
  const sessions = new Map<string, Found>();
  for (const node of index.nodes.values())
    if (node.type === "agent") addUser(sessions, node, index);
    else if (node.type === "trigger" || node.type === "constant")
      for (const { name } of node.outputs)
        sessions.set(`value ${node.id} ${name}`, {
          called: `the session that ${node.id}.${name} names`,
          name: null,
          users: new Set(),
          starts: [{ from: "output", node: node.id, name }],
        });
  for (const session of sessions.values()) follow(session, index);
  return [...sessions.values()]
    .filter(({ users }) => users.size > 1)
    .map(({ called, name, users }) => ({ called, name, users: [...users] }));
}

function addUser(sessions: Map<string, Found>, node: AgentNode, index: ValidationIndex): void {
  const { id, called, name } = sessionOf(node);
  // If a key is always passed in, the node's own session is never created.
  if (name === null && node.mode !== "inherit_resume" && isGivenKey(node, index)) return;
  const found = sessions.get(id) ?? { called, name, users: new Set(), starts: [] };
  found.users.add(node);
  found.starts.push({ from: "output", node: node.id, name: "sessionId" });
  sessions.set(id, found);
}

function sessionOf(node: AgentNode): { id: string; called: string; name: string | null } {
  if (node.mode === "inherit_resume" && node.agentId !== null)
    return {
      id: `agent ${node.agentId}`,
      called: `the session of the agent "${node.agentId}"`,
      name: null,
    };
  if (node.session) {
    const { name, scope } = node.session;
    return { id: `${scope} ${name}`, called: `the session "${name}"`, name };
  }
  return { id: `node ${node.id}`, called: `the session of "${node.id}"`, name: null };
}

function isGivenKey(node: AgentNode, index: ValidationIndex): boolean {
  return (index.into.get(node.id) ?? []).some(
    ({ source, target, back }) =>
      !back && takesKey(node, target) && source.from !== "previous" && source.from !== "iteration",
  );
}

/** A fork only reads its source; its own session is a different one. */
function takesKey(node: GraphNode, target: Edge["target"]): node is AgentNode {
  const isKey = target.to === "input" && target.port === "sessionId";
  return isKey && node.type === "agent" && node.fork === null;
}

/** Follows the key along the edges, through each node that continues the session. */
function follow(session: Found, index: ValidationIndex): void {
  const seen = new Set<string>();
  const open = [...session.starts];
  for (let place = open.pop(); place; place = open.pop()) {
    const name = `${place.from} ${place.node} ${place.name}`;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const edge of index.outOf.get(place.node) ?? [])
      if (comesFrom(edge, place)) open.push(...onwards(edge, index, session.users));
  }
}

function comesFrom({ source, select }: Edge, place: Place): boolean {
  if (source.from !== place.from || select === "prompt") return false;
  return "port" in source
    ? source.port === place.name
    : "dock" in source && source.dock === place.name;
}

function onwards({ target }: Edge, index: ValidationIndex, users: Set<AgentNode>): Place[] {
  const node = index.nodes.get(target.node)!;
  switch (target.to) {
    case "wait":
      return [];
    case "loop-output":
      return [{ from: "output", node: node.id, name: target.port }];
    case "dock":
      return [{ from: "previous", node: node.id, name: target.dock }];
    case "input":
      if (takesKey(node, target)) {
        users.add(node);
        return [{ from: "output", node: node.id, name: "sessionId" }];
      }
      if (node.type === "loop") return [{ from: "loop-input", node: node.id, name: target.port }];
      return passesOn(node)
        ? node.outputs.map(({ name }) => ({ from: "output", node: node.id, name }))
        : [];
  }
}

function passesOn({ type }: GraphNode): boolean {
  return type === "wire" || type === "join" || type === "gate";
}
