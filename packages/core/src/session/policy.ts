/** Which continuity a turn wants, by surface, mode and settings, and who decided that. */

export const surfaces = [
  "chat",
  "agent",
  "node",
  "schedule",
  "watcher",
  "webhook",
  "direct",
] as const;
export type Surface = (typeof surfaces)[number];

/** How a workflow node makes its session. */
export const runModes = ["ephemeral", "inherit_fresh", "inherit_resume"] as const;
export type RunMode = (typeof runModes)[number];

/** The mode that a decision prints: a run mode, or what a surface without run modes does. */
export type Mode = RunMode | "resume" | "fresh";

/** `reseed` and `blank` both take a new provider session; only `reseed` sends our transcript. */
export type Continuity = "resume" | "reseed" | "blank";

export type PolicySource = "turn" | "agent" | "setting" | "mode" | "surface" | "kind";
export type AgentKind = "interactive" | "background";
export type SessionSetting = "resume" | "fresh";

export interface PolicyInput {
  readonly surface: Surface;
  /** Given on the turn: `--reseed`, `--blank`. */
  readonly turn: "reseed" | "blank" | null;
  /** Given on the node. */
  readonly mode: RunMode | null;
  readonly kind: AgentKind;
  /** The agent's own setting, and the one for all regular agents. They govern `agent` surfaces only. */
  readonly agentSessions: SessionSetting | "default";
  readonly regularAgentSessions: SessionSetting;
}

export interface Policy {
  readonly continuity: Continuity;
  readonly source: PolicySource;
  readonly surface: Surface;
  readonly mode: Mode;
  /** Nothing to continue from is an error, not a first turn. */
  readonly mustContinue: boolean;
}
