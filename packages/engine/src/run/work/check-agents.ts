/** Checks that every agent node of a workflow could work, before a run of it is written. */

import { NotFoundError, RepriseError, UsageError } from "@reprise/core/errors/errors";
import { checkSchema } from "@reprise/core/prompt/structured-output";
import { readSessionSettings } from "@reprise/core/settings/session-settings";
import type { AgentNode, Graph } from "@reprise/core/workflow/graph";
import { type Engine, providerAgent } from "../../engine.ts";
import { placeIn } from "../bad-workflow.ts";
import { describeAgent } from "./node-agent.ts";
import { budgetSettings } from "./node-session.ts";

/** Relative paths in settings start from `folder`. @throws the first mistake, with the place of its node. */
export async function checkAgents(
  engine: Engine,
  { nodes }: Graph,
  { folder = engine.cwd, path = null }: { folder?: string; path?: string | null } = {},
): Promise<void> {
  for (const node of nodes)
    if (node.type === "agent")
      try {
        await checkAgent(engine, node, folder);
      } catch (error) {
        throw error instanceof RepriseError ? atNode(node, path, error) : error;
      }
}

async function checkAgent(engine: Engine, node: AgentNode, folder: string): Promise<void> {
  const agent = await describeAgent(engine, node, folder);
  const provider = engine.provider(agent.provider);
  await provider.validate(providerAgent(engine, { name: node.id, settings: agent.settings }));
  if (node.outputSchema) checkSchema(node.outputSchema);
  readSessionSettings(budgetSettings(node));
}

/** What is not there stays "not found"; all else is a mistake in the file. */
function atNode(
  { id, position }: AgentNode,
  path: string | null,
  error: RepriseError,
): RepriseError {
  const message = `${placeIn(path, position)}Node "${id}": ${error.message}`;
  const Kind = error instanceof NotFoundError ? NotFoundError : UsageError;
  return new Kind(error.code, message, error.hint, { cause: error });
}
