/**
 * Which agent runs a node, and what the node changes for its own turn. An existing session continues with
 * its own agent, unless the node names another agent, class or provider. Otherwise it is a named agent itself
 * (inherit_resume, or a background agent), or a hidden agent made from a provider, a class or another agent's
 * profile. A hidden agent's name is derived from its definition, so running a workflow again reuses it.
 */

import { UsageError } from "@reprise/core/errors/errors";
import { defaultAccess } from "@reprise/core/session/access";
import { settingsForTurn } from "@reprise/core/session/policy";
import type { TurnRequest } from "@reprise/core/session/turn";
import type { Agent } from "@reprise/store/contract/agents";
import type { AgentNode } from "@reprise/workflow/graph";
import { absolutePaths, providerOf, readAgent, readClass } from "../../agents.ts";
import { type Engine, sha256 } from "../../engine.ts";
import { inheritedFiles } from "./inherited-files.ts";

type Profile = Omit<Agent, "name" | "createdAt">;

/** The agent of a node's turn, and what the node sets for this turn. */
export interface NodeTurn {
  readonly agent: Agent;
  readonly setup: Required<Pick<TurnRequest, "settings" | "reads">> & Pick<TurnRequest, "model">;
  /** What to tell the agent before its prompt; null if nothing. */
  readonly note: string | null;
}

/** `key`: the session that it continues or forks. Relative paths are resolved from `folder`. */
interface NodePlace {
  readonly key: string;
  readonly folder: string;
}

export async function nodeTurn(
  engine: Engine,
  node: AgentNode,
  place: NodePlace,
): Promise<NodeTurn> {
  return turnOf(engine, node, place, (profile) => agentOfProfile(engine, node, profile));
}

/** The same without creating an agent; null if a new one would have to be created. */
export async function plannedNodeTurn(
  engine: Engine,
  node: AgentNode,
  place: NodePlace,
): Promise<NodeTurn | null> {
  const known = (profile: Profile) => engine.store.readAgent(nameOf(node, profile));
  return turnOf(engine, node, place, known);
}

async function turnOf<Found extends Agent | null>(
  engine: Engine,
  node: AgentNode,
  { key, folder }: NodePlace,
  agentOf: (profile: Profile) => Promise<Found>,
): Promise<NodeTurn | Extract<Found, null>> {
  const { reads, note } = await filesOf(engine, node);
  const described = await describeAgent(engine, node, folder);
  const turn = (agent: Agent, settings: NodeTurn["setup"]["settings"], model: string | null) => ({
    agent,
    setup: { settings, reads, model: node.model ?? model },
    note,
  });
  if ("createdAt" in described) return turn(described, {}, null);
  const owner = await ownerOf(engine, key);
  if (owner === null || !continues(owner, node, described)) {
    const agent = await agentOf(described);
    return agent === null ? (agent as Extract<Found, null>) : turn(agent, {}, null);
  }
  // The settings of the session's first node do not apply to this node.
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

/** A hidden agent made from the same provider, class or source agent that the node names. */
function isMadeFrom(owner: Agent, node: AgentNode): boolean {
  return owner.hidden && owner.name.startsWith(`${sourceOf(node, owner).slice(0, 50)}.`);
}

/** Finds the hidden agent, or creates it for the first node that needs it. */
async function agentOfProfile(engine: Engine, node: AgentNode, profile: Profile): Promise<Agent> {
  const name = nameOf(node, profile);
  const known = await engine.store.readAgent(name);
  if (known) return requireHidden(known);
  const agent = { ...profile, name, createdAt: engine.now() };
  await engine.store.createAgent(agent).catch(async (error) => {
    // Another run created it at the same moment.
    if ((await engine.store.readAgent(name)) === null) throw error;
  });
  return agent;
}

/**
 * The agent as the node describes it. Writes nothing.
 * @throws NotFoundError for a missing class or agent, UsageError for invalid settings.
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
    // An agent that inherits a profile may read the source's folder, but does not work in it.
    folder: source ? null : (base?.folder ?? null),
    // A node sets its own continuity; the setting for regular agents does not apply to it.
    sessions: "default",
    settings: { ...base?.settings, ...ownSettings(engine, node, provider, folder) },
    // Access is decided anew for each turn, from the file, the class and the run.
    access: defaultAccess,
    allowedCommands: [],
    onDenied: "note",
    hidden: true,
  };
}

/** The node names only an agent: no mode, provider or class. */
export function isItself({ mode, agentId, provider, agentClass }: AgentNode): boolean {
  return agentId !== null && mode === null && provider === null && agentClass === null;
}

/** The node's own settings for this provider. */
function ownSettings(
  engine: Engine,
  node: AgentNode,
  provider: string,
  folder: string,
): Record<string, string> {
  const settings = settingsFor(engine, provider, node.settings);
  return absolutePaths(engine, { provider, settings }, folder);
}

/** `codex.sandbox` applies to codex only, so a workflow can have settings for several runners and choose one. */
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

/** The agent itself runs the node, which may change only its model, access and instructions. */
async function inherited(engine: Engine, { settings }: AgentNode, name: string): Promise<Agent> {
  const [setting] = Object.keys(settings);
  if (setting === undefined) return readAgent(engine, name);
  throw new UsageError(
    "settings-of-agent",
    `It resumes agent ${name} itself, so it cannot have its own setting "${setting}".`,
    "Remove the settings, or use mode: inherit_fresh.",
  );
}

/** An agent of kind background continues its own session wherever it runs. */
async function background(engine: Engine, node: AgentNode, name: string): Promise<Agent> {
  const agent = await inherited(engine, node, name);
  if (agent.kind === "background") return agent;
  throw new UsageError(
    "no-mode",
    `It names the agent ${name} without a mode; only an agent of kind background needs no mode.`,
    "Use mode: inherit_fresh for a new session, or mode: inherit_resume to continue the agent's own.",
  );
}

/** What a hidden agent for the node is made from; its name begins with it. */
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
    `The node needs a hidden agent named ${agent.name}, but an agent with that name already exists.`,
    "Use another name for that agent.",
  );
}
