/** Agents and the classes from which they are made. */

import type { Access, OnDenied } from "@reprise/core/session/access";
import type { AgentKind, SessionSetting } from "@reprise/core/session/policy";
import type { DoneBy } from "./events.ts";

export interface Agent {
  readonly name: string;
  /** The class from which it was created. */
  readonly class: string | null;
  readonly kind: AgentKind;
  readonly provider: string;
  readonly model: string | null;
  readonly folder: string | null;
  readonly sessions: SessionSetting | "default";
  /** Settings of the provider: binary, home, sandbox, instructions, script… */
  readonly settings: Readonly<Record<string, string>>;
  /** Its own level; its provider settings may give more. */
  readonly access: Access;
  /** The commands that it may run under `edit` if its provider has no sandbox, exactly as written. */
  readonly allowedCommands: readonly string[];
  readonly onDenied: OnDenied;
  /** Created for nodes of workflows that name no agent: it has no identity and is not listed. */
  readonly hidden: boolean;
  readonly createdAt: number;
}

/** A change of an agent: null removes a setting, and fields that are not named stay. */
export interface AgentChange extends DoneBy {
  readonly name: string;
  readonly kind?: Agent["kind"] | undefined;
  readonly model?: Agent["model"] | undefined;
  readonly folder?: Agent["folder"] | undefined;
  readonly sessions?: Agent["sessions"] | undefined;
  readonly access?: Access | undefined;
  readonly allowedCommands?: readonly string[] | undefined;
  readonly onDenied?: OnDenied | undefined;
  readonly settings: Readonly<Record<string, string | null>>;
  readonly at: number;
}

/** A definition from which agents and nodes of workflows are made; no turn is ever sent to it. */
export type AgentClass = Pick<
  Agent,
  | "name"
  | "kind"
  | "provider"
  | "model"
  | "folder"
  | "settings"
  | "access"
  | "allowedCommands"
  | "onDenied"
  | "createdAt"
>;

/** A change of a class, by the same rules. */
export type ClassChange = Omit<AgentChange, "sessions">;

export interface AgentStore {
  /** @throws TerminalError `agent-exists` */
  createAgent(agent: Agent & DoneBy): Promise<void>;
  /** Its event names the changed settings without their values. @throws NotFoundError `no-agent` */
  setAgent(set: AgentChange): Promise<Agent>;
  readAgent(name: string): Promise<Agent | null>;
  /**
   * The agent `named`, else that of the session, else `otherwise`. `name` is null if there is none of the three;
   * `agent` is null if no agent has that name.
   */
  findAgent(of: {
    key: string;
    named: string | null;
    otherwise: string | null;
  }): Promise<{ name: string | null; agent: Agent | null }>;
  /** All except hidden ones, by name. */
  listAgents(): Promise<Agent[]>;
  /** @throws TerminalError `class-exists` */
  createClass(agentClass: AgentClass & DoneBy): Promise<void>;
  /** Agents created from it do not change; its event is like that of an agent. @throws NotFoundError `no-class` */
  setClass(set: ClassChange): Promise<AgentClass>;
  readClass(name: string): Promise<AgentClass | null>;
  /** By name. */
  listClasses(): Promise<AgentClass[]>;
}
