/** What the agent of a node may do: the word of the file, of whom it names, of the run, and the user's maximum. */

import { DeniedError } from "@reprise/core/errors/errors";
import {
  type Access,
  defaultAccess,
  type GrantedAccess,
  nodeAccess,
} from "@reprise/core/session/access";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { AgentNode } from "@reprise/core/workflow/graph";
import type { Agent, AgentClass } from "@reprise/store/store";
import { readAgent, readClass } from "../../agents.ts";
import type { Engine } from "../../engine.ts";
import { checkOnDenied, grantedBy } from "../../turn/access.ts";
import { isItself, settingsFor } from "./node-agent.ts";

export type NodeTurnAccess = Pick<TurnRequest, "access" | "allowedCommands" | "onDenied">;

/**
 * `agent`: who works for the node, where that is known; one that was made for nodes says nothing by itself.
 * @throws DeniedError for more than the user allows, UsageError for `ask` where the provider cannot.
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
      `${whoGives(decided.from, source)} access ${decided.level}, and maxAccess in your settings is ${maxAccess}.`,
      `Run it with --access ${decided.level}, write access: ${maxAccess} for the node${decided.from === "settings" ? " without these settings" : ""}, or set maxAccess: reprise config set maxAccess ${decided.level}`,
    );
  const onDenied = node.onDenied ?? source?.onDenied ?? null;
  checkOnDenied(engine.provider(provider), onDenied ?? "note");
  return {
    access: turnWord(decided, source),
    // A file names no commands: they are the user's, and those of an agent or class that the user made.
    allowedCommands: source?.allowedCommands ?? null,
    onDenied,
  };
}

/** Null where settings give the level: the turn passes them on as they are. */
function turnWord({ level, named }: GrantedAccess, source: AgentClass | null): Access | null {
  if (named) return level;
  return (source?.access ?? defaultAccess) === level ? level : null;
}

function whoGives(from: "node" | "settings" | "source", source: AgentClass | null): string {
  if (from === "node") return "It wants";
  if (from === "settings") return "Its settings give";
  return `${source && "hidden" in source ? "Agent" : "Class"} ${source?.name} gives`;
}

async function namedBy(engine: Engine, node: AgentNode): Promise<Agent | AgentClass | null> {
  const { mode, agentId, agentClass } = node;
  const inherits = mode === "inherit_resume" || mode === "inherit_fresh" || isItself(node);
  if (agentId !== null && inherits) return readAgent(engine, agentId);
  return agentClass === null ? null : readClass(engine, agentClass);
}
