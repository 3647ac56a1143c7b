/** What a turn wants: its agent, model and continuity, from surface, mode and settings, and where that comes from. */

import { UsageError } from "../errors/errors.ts";
import { suggest } from "../errors/suggestion.ts";
import type { Outcome } from "./decision.ts";
import type { Pin } from "./pin.ts";
import type { BusyPolicy, TurnRequest } from "./turn.ts";

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

type PolicySource =
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

// The reset policy: whether the next turn of a session is a scheduled blank, because a new day began or the
// session was idle. Setting the clock back never triggers a reset.
// /

export type ResetPolicy =
  | { readonly mode: "none" }
  | { readonly mode: "daily"; readonly atHour: number }
  | { readonly mode: "idle"; readonly idleMinutes: number };

type ResetMode = ResetPolicy["mode"];

/** The settings of these names. */
interface ResetSettings {
  readonly "reset.mode": ResetMode;
  readonly "reset.atHour": number;
  readonly "reset.idleMinutes": number;
  readonly "reset.surface": Readonly<Record<string, ResetMode>>;
  readonly "reset.channel": Readonly<Record<string, ResetMode>>;
}

/** The channel's mode wins over the surface's, and that over the general one. */
export function resetPolicy(
  settings: ResetSettings,
  { surface, channel }: { readonly surface: Surface; readonly channel: string | null },
): ResetPolicy {
  const mode =
    (channel === null ? undefined : own(settings["reset.channel"], channel)) ??
    own(settings["reset.surface"], surface) ??
    settings["reset.mode"];
  switch (mode) {
    case "daily":
      return { mode, atHour: settings["reset.atHour"] };
    case "idle":
      return { mode, idleMinutes: settings["reset.idleMinutes"] };
    case "none":
      return { mode };
  }
}

export interface LastUse {
  readonly now: number;
  /** When the conversation had its last message; null while it has none. */
  readonly usedAt: number | null;
  /** The session is held, so it is not reset. */
  readonly held: boolean;
  /** Minutes that local time is ahead of UTC at a moment; it changes with summer time. */
  readonly offsetAt: (at: number) => number;
}

/** Why a reset is due, for people; null if none is. */
export function resetDue(policy: ResetPolicy, use: LastUse): string | null {
  const { now, usedAt, held } = use;
  if (policy.mode === "none" || held || usedAt === null) return null;
  const last = `last used ${new Date(usedAt).toISOString()}`;
  if (policy.mode === "idle") {
    const due = now - usedAt >= policy.idleMinutes * minute;
    return due ? `idle for ${policy.idleMinutes} minutes, ${last}` : null;
  }
  const day = (at: number) =>
    Math.floor((at + use.offsetAt(at) * minute - policy.atHour * hour) / (24 * hour));
  return day(now) > day(usedAt) ? `daily at ${policy.atHour}:00, ${last}` : null;
}

const minute = 60_000;
const hour = 60 * minute;

function own<V>(values: Readonly<Record<string, V>>, name: string): V | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

// An agent as one turn sees it: its own settings, overridden by those of the turn. Everything that a turn
// changes only for itself is combined here; the agent itself stays unchanged.
// /

interface Settled {
  readonly settings: Readonly<Record<string, string>>;
}

export function effectiveAgent<Agent extends Settled>(
  agent: Agent,
  { settings }: Pick<TurnRequest, "settings">,
): Agent {
  if (settings === undefined || Object.keys(settings).length === 0) return agent;
  const merged = { ...agent.settings, ...settings };
  const kept = Object.entries(merged).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return { ...agent, settings: Object.fromEntries(kept) };
}

/** The settings that a turn must give so that an agent with the settings `own` works with exactly `wanted`. */
export function settingsForTurn(
  own: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const changed = Object.entries(wanted).filter(([name, value]) => own[name] !== value);
  const removed = Object.keys(own).filter((name) => !Object.hasOwn(wanted, name));
  return {
    ...Object.fromEntries(changed),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
}

// The agent of a new session when its caller names none, by the folder that it starts in.

/** The settings of these names. */
interface AgentChoices {
  readonly defaultAgent: string | null;
  readonly folderAgents: Readonly<Record<string, string | null>>;
}

/** The choice for the nearest folder at or above `folder`, else the one for all folders, else null. */
export function defaultAgentIn(
  folder: string,
  { defaultAgent, folderAgents }: AgentChoices,
): string | null {
  const nearest = Object.keys(folderAgents)
    .filter((each) => isWithin(folder, each))
    .sort((one, other) => other.length - one.length)[0];
  return nearest === undefined ? defaultAgent : (folderAgents[nearest] ?? null);
}

function isWithin(folder: string, outer: string): boolean {
  const prefix = outer.endsWith("/") ? outer : `${outer}/`;
  return `${folder}/`.startsWith(prefix);
}

// The model of a turn that names none, in a session that would continue with the one of an earlier turn.

/**
 * `defaultModel` is the provider's name for its default, where a session keeps the model of its last turn.
 * Null: no model needs to be named, because the session is already on its default.
 */
export function impliedModel(
  wanted: string | null,
  pin: Pin | null,
  defaultModel: string | undefined,
): string | null {
  if (wanted !== null || pin === null || defaultModel === undefined) return null;
  // A turn that was cut off may have left the session on its model.
  const strayed = pin.model !== null || pin.ran !== pin.usual || pin.residue !== null;
  return strayed ? (pin.usual ?? defaultModel) : null;
}

/** `default`, with the actual model if it is known. */
export function modelName(model: string | null, actual: string | undefined): string {
  if (model !== null) return model;
  return actual === undefined ? "default" : `default (${actual})`;
}
