/** Refuses a manually started run whose agent is in use, unless a node sets `busy`. */

import { BusyError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import { ownerText } from "@reprise/core/session/owner-text";
import type { AgentNode, Graph } from "@reprise/workflow/graph";
import type { Engine } from "../../engine.ts";
import { headOf } from "../../turn/find-turn.ts";
import { isItself } from "./node-agent.ts";

/**
 * An agent is live while its own session has an open turn: queued, running, waiting for an answer, or open
 * in a terminal.
 * @throws BusyError `agent-live`
 */
export async function refuseLiveAgents(engine: Engine, { nodes }: Graph): Promise<void> {
  const wanted = nodes.filter(
    (node): node is AgentNode =>
      node.type === "agent" &&
      node.busy === null &&
      (node.mode === "inherit_resume" || isItself(node)),
  );
  if (wanted.length === 0) return;
  for (const { id, agentId } of wanted) {
    const turn = await headOf(engine, `agent:${agentId}`);
    if (turn === null) continue;
    const whose = turn.owner === null ? "" : ` of ${ownerText(turn.owner)}`;
    throw new BusyError(
      "agent-live",
      `Agent ${agentId} is in use, and node "${id}" continues its session: turn ${turn.id}${whose} is ${turn.status}.`,
      `Wait for it, end it with ${verb("turns.cancel", `agent:${agentId}`)}, or set busy: wait on the node.`,
    );
  }
}
