/** The agent for a conversation of a provider's own program, when none is named. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { option, slot, verb } from "@reprise/core/errors/hint";
import { defaultAgentIn } from "@reprise/core/session/policy";
import type { Agent } from "@reprise/store/contract/agents";
import type { Engine } from "../engine.ts";

/** The user's choice for the folder if it uses the provider, else the only agent that does. */
export async function agentOfProvider(
  engine: Engine,
  provider: string,
  folder: string,
): Promise<Agent> {
  const { name, title } = engine.provider(provider).manifest;
  const agents = (await engine.store.listAgents()).filter((agent) => agent.provider === name);
  const usual = defaultAgentIn(folder, engine.settings);
  const chosen = agents.find((agent) => agent.name === usual);
  if (chosen) return chosen;
  const [only, ...others] = agents;
  if (only === undefined)
    throw new NotFoundError(
      "no-agent",
      `There is no agent for ${title}.`,
      `Create one: ${verb("agents.create", { name: slot("NAME"), provider: name })}.`,
    );
  if (others.length > 0)
    throw new UsageError(
      "no-agent-named",
      `There are several agents for ${title}: ${agents.map((agent) => agent.name).join(", ")}.`,
      `Name the one whose program has the conversation with ${option("agent")}.`,
    );
  return only;
}
