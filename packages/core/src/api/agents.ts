/** Agents and classes: the named definitions that sessions are run with. */

import type { Access, OnDenied } from "../session/access.ts";
import type { AgentKind } from "../session/policy.ts";
import type { NoticeView } from "./notice.ts";

/** How an agent continues by default: as its kind says, always resume, or always start fresh. */
export type AgentSessions = "default" | "resume" | "fresh";

export interface CreateClass {
  name: string;
  /** Name of the provider, for example `claude` or `codex`. */
  provider: string;
  kind?: AgentKind | undefined;
  /** The provider's default model unless given. */
  model?: string | null | undefined;
  /** Folder that new sessions work in. */
  folder?: string | null | undefined;
  /** `edit` unless given; never above the setting `maxAccess`. */
  access?: Access | null | undefined;
  /** Commands that the agent may run with `edit` access, exactly as they are run. */
  allowedCommands?: string[] | null | undefined;
  /** What happens when the agent is denied a tool: a note, the turn fails, or a person is asked. */
  onDenied?: OnDenied | null | undefined;
  /** Settings of the provider. */
  settings?: Record<string, string> | undefined;
  /** Who creates it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

export interface CreateAgent {
  name: string;
  /** Name of the provider, for example `claude` or `codex`; required unless `class` is given. */
  provider?: string | null | undefined;
  /** Class to take the definition from; fields that are given here override it. */
  class?: string | null | undefined;
  kind?: AgentKind | null | undefined;
  /** The provider's default model unless given. */
  model?: string | null | undefined;
  /** Folder that new sessions work in. */
  folder?: string | null | undefined;
  sessions?: AgentSessions | undefined;
  /** The access of the class unless given, otherwise `edit`. */
  access?: Access | null | undefined;
  /** Commands that the agent may run with `edit` access, exactly as they are run. */
  allowedCommands?: string[] | null | undefined;
  /** What happens when the agent is denied a tool: a note, the turn fails, or a person is asked. */
  onDenied?: OnDenied | null | undefined;
  /** Settings of the provider. */
  settings?: Record<string, string> | undefined;
  /** Who creates it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

/** A change of a class. Fields that are not given stay as they are. */
export interface SetClass {
  name: string;
  kind?: AgentKind | undefined;
  /** null: the provider's default. */
  model?: string | null | undefined;
  /** null: the folder that a turn is sent from. */
  folder?: string | null | undefined;
  access?: Access | undefined;
  /** Replaces the whole list. */
  allowedCommands?: string[] | undefined;
  onDenied?: OnDenied | undefined;
  /** null removes a setting. */
  settings?: Record<string, string | null> | undefined;
  /** Who changes it, recorded with the event; your user's name unless given. */
  by?: string | null | undefined;
}

/** A change of an agent. Fields that are not given stay as they are. */
export interface SetAgent extends SetClass {
  sessions?: AgentSessions | undefined;
}

export interface AgentClassView {
  name: string;
  kind: AgentKind;
  provider: string;
  model: string | null;
  folder: string | null;
  settings: Record<string, string>;
  /** What the agent may do in effect, including what its provider settings allow. */
  access: Access;
  allowedCommands: string[];
  onDenied: OnDenied;
  /** Milliseconds since 1970. */
  createdAt: number;
}

export interface AgentView extends AgentClassView {
  class: string | null;
  sessions: AgentSessions;
}

export interface ChangedAgent extends AgentView {
  /** What the change does not affect, for example sessions that stay in their folder. */
  notices: NoticeView[];
}

/** Selects provider sessions. */
export interface ListProviderSessions {
  /** The agent whose program has them. */
  agent: string;
  /** Those that began in this folder; the agent's folder unless given, else the current one. */
  folder?: string | null | undefined;
  /** How many; 20 unless given. */
  limit?: number | undefined;
}

/** A provider session in the files of an agent's program. */
export interface ProviderSessionView {
  /** The provider's own id. */
  id: string;
  provider: string;
  /** The folder that it began in; null if the provider does not tell. */
  folder: string | null;
  /** What it was asked first, on one line. */
  prompt: string;
  /** When it was last used, in milliseconds since 1970. */
  usedAt: number;
  /** The session that continues it; null if none does. */
  key: string | null;
}

/** Agents and classes of the home. */
export interface AgentsApi {
  /**
   * Creates an agent.
   * @throws TerminalError `agent-exists` when the name is taken.
   * @example
   * const agent = await reprise.agents.create({ name: "coder", provider: "codex", access: "edit" });
   * console.log(agent.access);
   */
  create(agent: CreateAgent): Promise<AgentView>;
  /**
   * Lists all agents.
   * @example
   * for (const { name, provider } of await reprise.agents.list()) console.log(name, provider);
   */
  list(): Promise<AgentView[]>;
  /**
   * Shows one agent.
   * @throws NotFoundError `no-agent`
   * @example
   * const { model } = await reprise.agents.show("coder");
   */
  show(name: string): Promise<AgentView>;
  /**
   * Changes an agent for its next turns. Existing sessions keep what they pinned, and the guards compare the two.
   * A new folder applies to new sessions; `notices` names the sessions that stay where they are.
   * @throws NotFoundError `no-agent`
   * @example
   * const { notices } = await reprise.agents.set({ name: "coder", model: "gpt-5.2" });
   */
  set(set: SetAgent): Promise<ChangedAgent>;
  /**
   * Creates a class: a definition that agents and workflow nodes are made from. It cannot be sent a prompt itself.
   * @example
   * await reprise.agents.createClass({ name: "reviewer", provider: "claude", access: "read" });
   */
  createClass(agentClass: CreateClass): Promise<AgentClassView>;
  /**
   * Lists all classes.
   * @example
   * const names = (await reprise.agents.listClasses()).map(({ name }) => name);
   */
  listClasses(): Promise<AgentClassView[]>;
  /**
   * Shows one class.
   * @throws NotFoundError `no-class`
   * @example
   * const { provider } = await reprise.agents.showClass("reviewer");
   */
  showClass(name: string): Promise<AgentClassView>;
  /**
   * Changes a class for agents that are created, and node turns that start, from now on. Agents that were already
   * made from it stay as they are.
   * @throws NotFoundError `no-class`
   * @example
   * await reprise.agents.setClass({ name: "reviewer", access: "full" });
   */
  setClass(set: SetClass): Promise<AgentClassView>;
  /**
   * Lists the provider sessions in the files of an agent's program, the last used first: those that Reprise did not
   * start can be continued with `sessions.adopt`.
   * @throws NotFoundError `no-agent`, UsageError `no-listing` for a provider that cannot list them.
   * @example
   * for (const { id, prompt, key } of await reprise.agents.providerSessions({ agent: "coder" }))
   *   if (key === null) console.log(id, prompt);
   */
  providerSessions(list: ListProviderSessions): Promise<ProviderSessionView[]>;
}
