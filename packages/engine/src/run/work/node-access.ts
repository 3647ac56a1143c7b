/** The access of a node's agent: combines the file, the agent or class it names, the run, and the user's maximum. */

import { DeniedError } from "@reprise/core/errors/errors";
import { command, option } from "@reprise/core/errors/hint";
import {
  type Access,
  defaultAccess,
  type GrantedAccess,
  nodeAccess,
} from "@reprise/core/session/access";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Agent, AgentClass } from "@reprise/store/contract/agents";
import type { AgentNode } from "@reprise/workflow/graph";
import { readAgent, readClass } from "../../agents.ts";
import type { Engine } from "../../engine.ts";
import { checkOnDenied, grantedBy } from "../../turn/access.ts";
import { isItself, settingsFor } from "./node-agent.ts";

export type NodeTurnAccess = Pick<TurnRequest, "access" | "allowedCommands" | "onDenied">;

/**
 * `agent`: the agent that runs the node, if known; a hidden one has no access of its own.
 * @throws DeniedError for more than the user allows, UsageError if the provider does not support `ask`.
 */
export async function accessOfNode(
  engine: Engine,
  node: AgentNode,
  provider: string,
  run: Access | null,
  agent: Agent | null = null,
): Promise<NodeTurnAccess> {
  const source = agent && !agent.hidden ? agent : await namedBy(engine, node);
  const { maxAccess } = engine.settings;
  const { manifest } = engine.provider(provider);
  const decided = nodeAccess({
    node: node.access,
    settings: manifest.access.given(settingsFor(engine, provider, node.settings)),
    source: source && grantedBy(engine, source),
    run,
    maxAccess,
  });
  if (!decided.allowed)
    throw new DeniedError(
      "above-max-access",
      `${whoGives(decided.from, source)} access ${decided.level}, but maxAccess in your settings is ${maxAccess}.`,
      `Run it with ${option("access", decided.level)}, set access: ${maxAccess} on the node${decided.from === "settings" ? " without these settings" : ""}, or raise maxAccess with ${command("config set", "maxAccess", decided.level)}.`,
    );
  const onDenied = node.onDenied ?? source?.onDenied ?? null;
  checkOnDenied(engine.provider(provider), onDenied ?? "note");
  return {
    access: turnAccessOf(decided, source),
    // Only the user's settings and the user's agents and classes may allow commands, never the file.
    allowedCommands: source?.allowedCommands ?? null,
    onDenied,
  };
}

/** Null if settings give the level: the turn passes them on unchanged. */
function turnAccessOf({ level, named }: GrantedAccess, source: AgentClass | null): Access | null {
  if (named) return level;
  return (source?.access ?? defaultAccess) === level ? level : null;
}

function whoGives(from: "node" | "settings" | "source", source: AgentClass | null): string {
  if (from === "node") return "It asks for";
  if (from === "settings") return "Its settings give";
  return `${source && "hidden" in source ? "Agent" : "Class"} ${source?.name} gives`;
}

async function namedBy(engine: Engine, node: AgentNode): Promise<Agent | AgentClass | null> {
  const { mode, agentId, agentClass } = node;
  const inherits = mode === "inherit_resume" || mode === "inherit_fresh" || isItself(node);
  if (agentId !== null && inherits) return readAgent(engine, agentId);
  return agentClass === null ? null : readClass(engine, agentClass);
}
