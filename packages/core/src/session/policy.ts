/** Which continuity a turn wants, from surface, mode and settings, and where that comes from. */

import { UsageError } from "../errors/errors.ts";
import { suggest } from "../errors/suggestion.ts";
import type { Outcome } from "./decision.ts";
import type { BusyPolicy } from "./turn.ts";

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

export type PolicySource =
  | "turn"
  | "agent"
  | "setting"
  | "mode"
  | "surface"
  | "kind"
  | "reset"
  | "compact";
export type AgentKind = "interactive" | "background";
export type SessionSetting = "resume" | "fresh";

export interface PolicyInput {
  readonly surface: Surface;
  /** Given with the turn: `--reseed`, `--blank`; `resume` continues the key whatever the surface's default is. */
  readonly turn: Continuity | null;
  /** Given on the node. */
  readonly mode: RunMode | null;
  readonly kind: AgentKind;
  /** The agent's own setting, and the one for all regular agents. They govern `agent` surfaces only. */
  readonly agentSessions: SessionSetting | "default";
  readonly regularAgentSessions: SessionSetting;
  /** Why the reset policy wants a blank turn now, if it does. */
  readonly reset?: string | null;
  /** A compaction was requested and the provider cannot do it: start a new session with a summary. */
  readonly compact?: boolean;
}

export interface Policy {
  readonly continuity: Continuity;
  readonly source: PolicySource;
  /** Details about the source, where its name does not say enough. */
  readonly because?: string;
  readonly surface: Surface;
  readonly mode: Mode;
  /** If there is nothing to continue from, that is an error, not a first turn. */
  readonly mustContinue: boolean;
}

/**
 * The turn's own choice comes first, then the mode, then a reset that is due, then a requested compaction,
 * then the default of the surface.
 */
export function resolvePolicy(input: PolicyInput): Policy {
  const standing = standingPolicy(input);
  if (input.turn === null) {
    const kept = input.reset ? afterReset(standing, input.reset) : standing;
    return input.compact && kept.continuity === "resume" ? compacting(kept) : kept;
  }
  const said: Policy = {
    ...standing,
    continuity: input.turn,
    source: "turn",
    mode: isRunMode(standing.mode) ? standing.mode : input.turn === "resume" ? "resume" : "fresh",
    mustContinue: standing.mustContinue && input.turn !== "blank",
  };
  return input.compact && input.turn === "resume" ? compacting(said) : said;
}

/** A node with an explicit mode is not reset by a schedule. */
function afterReset(standing: Policy, because: string): Policy {
  if (standing.continuity !== "resume" || standing.source === "mode") return standing;
  return { ...standing, continuity: "blank", source: "reset", because, mode: "fresh" };
}

function compacting(standing: Policy): Policy {
  const mode = isRunMode(standing.mode) ? standing.mode : "fresh";
  return { ...standing, continuity: "reseed", source: "compact", mode };
}

function standingPolicy(input: PolicyInput): Policy {
  const { surface, mode, kind, agentSessions, regularAgentSessions } = input;
  const policy = (continuity: Continuity, source: PolicySource, printed: Mode): Policy => ({
    continuity,
    source,
    surface,
    mode: printed,
    mustContinue: printed === "inherit_resume",
  });
  const sessions = (setting: SessionSetting, source: PolicySource) =>
    policy(setting === "fresh" ? "blank" : "resume", source, setting);

  if (mode !== null) return policy(mode === "inherit_resume" ? "resume" : "blank", "mode", mode);
  switch (surface) {
    case "chat":
    case "direct":
      return sessions("resume", "surface");
    case "agent":
      if (agentSessions !== "default") return sessions(agentSessions, "agent");
      // A background agent is long-lived by design; the setting is for regular agents.
      if (kind === "background") return sessions("resume", "kind");
      return sessions(regularAgentSessions, "setting");
    case "node":
    case "schedule":
    case "watcher":
    case "webhook":
      // Neither the setting nor the agent's own one reaches a workflow: only a mode or the kind does.
      return kind === "background"
        ? sessions("resume", "kind")
        : policy("blank", "surface", "ephemeral");
  }
}

/**
 * The run mode of a node: its own `mode`, else what its legacy `session_type` means, else none.
 * @throws UsageError for a value that is neither.
 */
export function resolveRunMode(node: {
  readonly mode: string | null;
  readonly sessionType: string | null;
  /** Legacy persistent nodes keep resuming, as they did. */
  readonly legacyPersistentResumes: boolean;
}): RunMode | null {
  if (node.mode !== null) {
    if (isRunMode(node.mode)) return node.mode;
    throw new UsageError("bad-mode", `"${node.mode}" is not a mode.`, suggest(node.mode, runModes));
  }
  switch (node.sessionType) {
    case null:
      return null;
    case "temporary":
      return "ephemeral";
    case "persistent":
      return node.legacyPersistentResumes ? "inherit_resume" : "inherit_fresh";
    default:
      throw new UsageError(
        "bad-session-type",
        `"${node.sessionType}" is not a session_type.`,
        suggest(node.sessionType, ["temporary", "persistent"]),
      );
  }
}

/**
 * Whether the agent is asked to introduce itself: only a regular agent that starts with nothing. A
 * resumed or reseeded one has a conversation to continue, and a workflow has a task for it.
 */
export function startupPrompt(
  { surface, mode }: Pick<Policy, "surface" | "mode">,
  outcome: Outcome,
): "send_intro" | "skip_intro" {
  return surface === "agent" && !isRunMode(mode) && outcome === "blank"
    ? "send_intro"
    : "skip_intro";
}

/** The busy policy of a caller that names none. */
export function defaultBusy(
  surface: Surface,
  { manualRunOnLiveAgent = false }: { readonly manualRunOnLiveAgent?: boolean } = {},
): BusyPolicy {
  if (manualRunOnLiveAgent) return "fail";
  switch (surface) {
    case "direct":
    case "node":
      return "wait";
    case "chat":
    case "agent":
      return "queue";
    // A message or a changed file must not be lost, and no caller waits for it.
    case "watcher":
    case "webhook":
      return "queue";
    // The next one is coming anyway: schedules neither overlap nor pile up.
    case "schedule":
      return "skip";
  }
}

function isRunMode(mode: string): mode is RunMode {
  return (runModes as readonly string[]).includes(mode);
}
