/** Agents: named identities, each with a provider and what that provider needs to know. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "@reprise/core/api/parse";
import type { AgentView, CreateAgent } from "@reprise/core/api/reprise";
import { createAgentSchema } from "@reprise/core/api/schemas";
import { NotFoundError } from "@reprise/core/errors/errors";
import type { Agent } from "@reprise/store/store";
import { type Engine, providerAgent } from "./engine.ts";
import { workFolder } from "./turn/folder.ts";

export async function createAgent(engine: Engine, input: CreateAgent): Promise<AgentView> {
  const wanted = parse(createAgentSchema, input);
  const provider = engine.provider(wanted.provider);
  const agent: Agent = {
    name: wanted.name,
    class: wanted.class ?? null,
    kind: wanted.kind,
    provider: wanted.provider,
    model: wanted.model ?? null,
    folder: wanted.folder ? await workFolder(wanted.folder, engine.cwd) : null,
    sessions: wanted.sessions,
    settings: absolutePaths(engine, wanted.settings, provider.traits.paths),
    createdAt: engine.now(),
  };
  await provider.validate(providerAgent(engine, agent));
  await engine.store.createAgent(agent);
  return agentView(agent);
}

/** Turns are sent from anywhere, so a path must mean the same everywhere. */
function absolutePaths(
  { cwd, env }: Engine,
  settings: Readonly<Record<string, string>>,
  paths: readonly string[],
): Record<string, string> {
  const absolute = (path: string) =>
    path.startsWith("~/") ? join(env.HOME || homedir(), path.slice(2)) : resolve(cwd, path);
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      paths.includes(name) && value !== "" ? absolute(value) : value,
    ]),
  );
}

export async function showAgent(engine: Engine, name: string): Promise<AgentView> {
  const agent = await engine.store.readAgent(name);
  if (agent) return agentView(agent);
  throw new NotFoundError(
    "no-agent",
    `There is no agent ${name}.`,
    "reprise agent list shows them.",
  );
}

export function agentView(agent: Agent): AgentView {
  return { ...agent, settings: { ...agent.settings } };
}
