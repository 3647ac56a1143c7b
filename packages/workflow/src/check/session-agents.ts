/** Warns if a node continues a session as another agent, because that starts a new provider session. */

import { type Finding, warning } from "../finding.ts";
import type { AgentNode } from "../graph.ts";
import type { ValidationIndex } from "./graph-index.ts";
import { sharedSessions } from "./session-users.ts";

export function checkSessionAgents(index: ValidationIndex): Finding[] {
  const place = new Map([...index.nodes.keys()].map((id, at) => [id, at]));
  const reported = new Set<string>();
  return sharedSessions(index).flatMap(({ called, users }) => {
    const [first, ...others] = users.toSorted((a, b) => place.get(a.id)! - place.get(b.id)!);
    return others.flatMap((node) => {
      if (!first || isSameAgent(first, node) || reported.has(node.id)) return [];
      reported.add(node.id);
      return warning(
        node,
        "another-agent",
        `Nodes "${first.id}" and "${node.id}" continue ${called} with different agents, so "${node.id}" reseeds from the transcript.`,
        "Use the same class or agent in both, none in this node, or a separate session.",
      );
    });
  });
}

/** A node that names neither agent nor class continues as the agent that the session has. */
function isSameAgent(
  first: AgentNode,
  { mode, agentId, agentClass, provider }: AgentNode,
): boolean {
  if (mode === "inherit_fresh") return first.mode === mode && first.agentId === agentId;
  if (mode === "inherit_resume") return first.mode === mode;
  if (agentClass !== null) return first.agentClass === agentClass;
  return provider === null || first.provider === null || first.provider === provider;
}
