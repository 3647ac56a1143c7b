/**
 * Who works for an agent node: an agent itself (inherit_resume), or one without an identity that is made
 * from a provider, a class or another agent's profile. Those are named by what they are made of, so that
 * nodes which say the same are the same agent, and running a workflow again makes no further ones.
 */

import { UsageError } from "@reprise/core/errors/errors";
import type { AgentNode } from "@reprise/core/workflow/graph";
import { providerNames } from "@reprise/providers/registry";
import type { Agent } from "@reprise/store/store";
import { absolutePaths, providerOf, readAgent, readClass } from "../../agents.ts";
import { sha256 } from "../../digest.ts";
import type { Engine } from "../../engine.ts";

type Profile = Omit<Agent, "name" | "createdAt">;

/** Finds the agent, or writes it when no node has needed it before; relative paths start from `folder`. */
export async function agentOfNode(engine: Engine, node: AgentNode, folder: string): Promise<Agent> {
  const described = await describeAgent(engine, node, folder);
  if ("createdAt" in described) return described;
  const name = nameOf(node, described);
  const known = await engine.store.readAgent(name);
  if (known) return requireHidden(known);
  const agent = { ...described, name, createdAt: engine.now() };
  await engine.store.createAgent(agent).catch(async (error) => {
    // Another run needed it in the same moment.
    if ((await engine.store.readAgent(name)) === null) throw error;
  });
  return agent;
}

/**
 * The agent as the node describes it, with nothing written.
 * @throws NotFoundError for a class or an agent that is not there, UsageError for what does not fit.
 */
export async function describeAgent(
  engine: Engine,
  node: AgentNode,
  folder: string,
): Promise<Agent | Profile> {
  const { mode, agentId } = node;
  if (agentId !== null && mode === "inherit_resume") return inherited(engine, node, agentId);
  const source =
    agentId !== null && mode === "inherit_fresh" ? await readAgent(engine, agentId) : null;
  const base =
    source ?? (node.agentClass === null ? null : await readClass(engine, node.agentClass));
  const provider = source?.provider ?? providerOf(node.provider, base);
  const settings = settingsFor(provider, node.settings);
  const own = absolutePaths(engine, { provider, settings }, folder);
  return {
    class: base === null || source ? (source?.class ?? null) : base.name,
    kind: base?.kind ?? "interactive",
    provider,
    model: base?.model ?? null,
    folder: base?.folder ?? null,
    // A node says itself how its session goes on; what holds for regular agents is not for it.
    sessions: "default",
    settings: { ...base?.settings, ...own },
    hidden: true,
  };
}

/** `codex.sandbox` is for codex alone: so a workflow can say what each runner needs, and name one of them. */
function settingsFor(provider: string, settings: AgentNode["settings"]): Record<string, string> {
  const all = Object.entries(settings);
  const isShared = ([name]: [string, string]) => !providerNames.includes(name.split(".", 1)[0]!);
  const own = all
    .filter(([name]) => name.startsWith(`${provider}.`))
    .map(([name, value]) => [name.slice(provider.length + 1), value]);
  return { ...Object.fromEntries(all.filter(isShared)), ...Object.fromEntries(own) };
}

/** The agent itself works, so nothing of it can be otherwise for one node. */
async function inherited(engine: Engine, { settings }: AgentNode, name: string): Promise<Agent> {
  const [setting] = Object.keys(settings);
  if (setting === undefined) return readAgent(engine, name);
  throw new UsageError(
    "settings-of-agent",
    `It resumes agent ${name} itself, so it can have no setting "${setting}" of its own.`,
    "Leave settings out, or write mode: inherit_fresh.",
  );
}

function nameOf(node: AgentNode, profile: Profile): string {
  const { mode, agentId, agentClass } = node;
  const from = mode === "inherit_fresh" && agentId !== null ? agentId : agentClass;
  const settings = Object.entries(profile.settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = sha256(JSON.stringify([from, { ...profile, settings }]));
  return `${(from ?? profile.provider).slice(0, 50)}.${digest.slice(0, 10)}`;
}

function requireHidden(agent: Agent): Agent {
  if (agent.hidden) return agent;
  throw new UsageError(
    "agent-exists",
    `The node needs an agent named ${agent.name}, and somebody has created one of that name.`,
    "Create that agent under another name.",
  );
}
