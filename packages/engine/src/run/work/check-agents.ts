/** Checks that every agent node of a workflow could work, its program included, before a run of it is written. */

import { NotFoundError, RepriseError, UsageError } from "@reprise/core/errors/errors";
import { checkSchema } from "@reprise/core/prompt/structured-output";
import { readSessionSettings } from "@reprise/core/settings/session-settings";
import type { AgentNode, Graph } from "@reprise/core/workflow/graph";
import { runnerProblem } from "@reprise/core/workflow/runners";
import { type Engine, providerAgent } from "../../engine.ts";
import { probe } from "../../turn/observe.ts";
import { placeIn } from "../bad-workflow.ts";
import { describeAgent } from "./node-agent.ts";
import { budgetSettings } from "./node-session.ts";

/** Relative paths in settings start from `folder`. @throws the first mistake, with the place of its node. */
export async function checkAgents(
  engine: Engine,
  { nodes }: Graph,
  { folder = engine.cwd, path = null }: { folder?: string; path?: string | null } = {},
): Promise<void> {
  const programs = new Set<string>();
  for (const node of nodes)
    if (node.type === "agent")
      try {
        await checkAgent(engine, node, folder, programs);
      } catch (error) {
        throw error instanceof RepriseError ? atNode(node, path, error) : error;
      }
}

/** `programs` are those that were found for the nodes before. */
async function checkAgent(
  engine: Engine,
  node: AgentNode,
  folder: string,
  programs: Set<string>,
): Promise<void> {
  // Who inherits works with the provider of the agent.
  const isOwn = node.mode === null || node.mode === "ephemeral";
  const problem = isOwn && node.provider !== null ? runnerProblem(node.provider) : null;
  if (problem) throw new UsageError("not-supported", problem.message, problem.hint);
  const { provider, settings } = await describeAgent(engine, node, folder);
  const program = JSON.stringify([provider, settings]);
  if (!programs.has(program)) {
    const agent = providerAgent(engine, { name: node.id, settings });
    const equipment = { provider: engine.provider(provider), providerAgent: agent };
    await probe(engine, equipment, { writes: false });
    programs.add(program);
  }
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
