/**
 * Which agent works for a node, and what the node changes for its turn alone. A session that is there
 * continues with its own agent, unless the node names another agent, class or provider. Else it is an agent
 * itself (inherit_resume, or one of the kind background), or one without an identity that is made from a
 * provider, a class or another agent's profile. Those are named by what they are made of, so running a
 * workflow again makes no further ones.
 */

import { UsageError } from "@reprise/core/errors/errors";
import { defaultAccess } from "@reprise/core/session/access";
import { settingsForTurn } from "@reprise/core/session/effective-agent";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { AgentNode } from "@reprise/core/workflow/graph";
import type { Agent } from "@reprise/store/store";
import { absolutePaths, providerOf, readAgent, readClass } from "../../agents.ts";
import { sha256 } from "../../digest.ts";
import type { Engine } from "../../engine.ts";
import { inheritedFiles } from "./inherited-files.ts";

type Profile = Omit<Agent, "name" | "createdAt">;

/** The agent of a node's turn, and what the node says for this turn. */
export interface NodeTurn {
  readonly agent: Agent;
  readonly setup: Required<Pick<TurnRequest, "settings" | "reads">> & Pick<TurnRequest, "model">;
  /** What the agent must know before its prompt; null when there is nothing. */
  readonly note: string | null;
}

/** `key`: the session that it continues, or begins from. Relative paths start from `folder`. */
export async function nodeTurn(
  engine: Engine,
  node: AgentNode,
  { key, folder }: { readonly key: string; readonly folder: string },
): Promise<NodeTurn> {
  const { reads, note } = await filesOf(engine, node);
  const described = await describeAgent(engine, node, folder);
  const turn = (agent: Agent, settings: NodeTurn["setup"]["settings"], model: string | null) => ({
    agent,
    setup: { settings, reads, model: node.model ?? model },
    note,
  });
  if ("createdAt" in described) return turn(described, {}, null);
  const owner = await ownerOf(engine, key);
  if (owner === null || !continues(owner, node, described))
    return turn(await agentOfProfile(engine, node, described), {}, null);
  // What the first node of the session said is not for this one.
  if (isMadeFrom(owner, node))
    return turn(owner, settingsForTurn(owner.settings, described.settings), described.model);
  return turn(owner, ownSettings(engine, node, owner.provider, folder), null);
}

async function filesOf(engine: Engine, { mode, agentId }: AgentNode) {
  if (mode !== "inherit_fresh" || agentId === null) return { reads: [], note: null };
  return inheritedFiles(engine, await readAgent(engine, agentId));
}

async function ownerOf({ store }: Engine, key: string): Promise<Agent | null> {
  const session = await store.readSession(key);
  return session && store.readAgent(session.agent);
}

/** The node names no other agent, class or provider than the session's own. */
function continues(owner: Agent, node: AgentNode, described: Profile): boolean {
  if (owner.provider !== described.provider) return false;
  if (node.mode === "inherit_fresh") return isMadeFrom(owner, node);
  return node.agentClass === null || owner.class === node.agentClass;
}

/** An agent without an identity, of the same provider, class or source that the node names. */
function isMadeFrom(owner: Agent, node: AgentNode): boolean {
  return owner.hidden && owner.name.startsWith(`${sourceOf(node, owner).slice(0, 50)}.`);
}

/** Finds the agent, or writes it when no node has needed it before. */
async function agentOfProfile(engine: Engine, node: AgentNode, profile: Profile): Promise<Agent> {
  const name = nameOf(node, profile);
  const known = await engine.store.readAgent(name);
  if (known) return requireHidden(known);
  const agent = { ...profile, name, createdAt: engine.now() };
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
  if (agentId !== null && isItself(node)) return background(engine, node, agentId);
  const source =
    agentId !== null && mode === "inherit_fresh" ? await readAgent(engine, agentId) : null;
  const base =
    source ?? (node.agentClass === null ? null : await readClass(engine, node.agentClass));
  const provider = source?.provider ?? providerOf(node.provider, base);
  return {
    class: base === null || source ? (source?.class ?? null) : base.name,
    kind: base?.kind ?? "interactive",
    provider,
    model: base?.model ?? null,
    // The folder of an agent is only read by one that has its profile.
    folder: source ? null : (base?.folder ?? null),
    // A node says itself how its session goes on; what holds for regular agents is not for it.
    sessions: "default",
    settings: { ...base?.settings, ...ownSettings(engine, node, provider, folder) },
    // Each turn says what it may do: the file, the class and the run decide that anew every time.
    access: defaultAccess,
    allowedCommands: [],
    onDenied: "note",
    hidden: true,
  };
}

/** It names an agent, and neither how it takes part nor what else would work. */
export function isItself({ mode, agentId, provider, agentClass }: AgentNode): boolean {
  return agentId !== null && mode === null && provider === null && agentClass === null;
}

/** The node's own settings, for the provider that works. */
function ownSettings(
  engine: Engine,
  node: AgentNode,
  provider: string,
  folder: string,
): Record<string, string> {
  const settings = settingsFor(engine, provider, node.settings);
  return absolutePaths(engine, { provider, settings }, folder);
}

/** `codex.sandbox` is for codex alone: so a workflow can say what each runner needs, and name one of them. */
export function settingsFor(
  { providers }: Pick<Engine, "providers">,
  provider: string,
  settings: AgentNode["settings"],
): Record<string, string> {
  const all = Object.entries(settings);
  const isShared = ([name]: [string, string]) => !providers.names.includes(name.split(".", 1)[0]!);
  const own = all
    .filter(([name]) => name.startsWith(`${provider}.`))
    .map(([name, value]) => [name.slice(provider.length + 1), value]);
  return { ...Object.fromEntries(all.filter(isShared)), ...Object.fromEntries(own) };
}

/** The agent itself works: a node may change its model, access and instructions, and nothing else. */
async function inherited(engine: Engine, { settings }: AgentNode, name: string): Promise<Agent> {
  const [setting] = Object.keys(settings);
  if (setting === undefined) return readAgent(engine, name);
  throw new UsageError(
    "settings-of-agent",
    `It resumes agent ${name} itself, so it can have no setting "${setting}" of its own.`,
    "Leave settings out, or write mode: inherit_fresh.",
  );
}

/** An agent of the kind background continues its own session wherever it works. */
async function background(engine: Engine, node: AgentNode, name: string): Promise<Agent> {
  const agent = await inherited(engine, node, name);
  if (agent.kind === "background") return agent;
  throw new UsageError(
    "no-mode",
    `It names the agent ${name}, but not how it takes part; only an agent of the kind background needs no mode.`,
    "Write mode: inherit_fresh for a new session, or mode: inherit_resume to continue its own.",
  );
}

/** What an agent for the node is made from, as its name begins with it. */
function sourceOf({ mode, agentId, agentClass }: AgentNode, { provider }: { provider: string }) {
  return (mode === "inherit_fresh" ? agentId : agentClass) ?? provider;
}

function nameOf(node: AgentNode, profile: Profile): string {
  const from = node.mode === "inherit_fresh" ? node.agentId : node.agentClass;
  const settings = Object.entries(profile.settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const { access: _, allowedCommands: __, onDenied: ___, ...definition } = profile;
  const digest = sha256(JSON.stringify([from, { ...definition, settings }]));
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
