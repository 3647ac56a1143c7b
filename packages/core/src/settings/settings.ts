/** All settings of Reprise: allowed values, defaults, and where a value came from. */

import { UsageError } from "../errors/errors.ts";
import { command, slot, verb } from "../errors/hint.ts";
import { suggest, suggestion } from "../errors/suggestion.ts";
import { accessLevels } from "../session/access.ts";
import type { Rules } from "../session/decision.ts";
import { surfaces } from "../session/policy.ts";
import { onQuotaChoices, type QuotaRules } from "../session/quota.ts";
import {
  agentName,
  byName,
  choice,
  commands,
  count,
  duration,
  hour,
  type Kind,
  modules,
  orNone,
  truth,
  webAddress,
} from "./kind.ts";
import type { SessionSettings } from "./own-settings.ts";

/**
 * Who may set it. `user`: the user's own file, the environment and flags; that is always allowed. `project`: also the
 * settings file of a project folder, which may come with a cloned repository. `session`: also one session for itself.
 */
type SettingScope = "user" | "project" | "session";

interface Setting<T> {
  readonly kind: Kind<T>;
  readonly byDefault: T;
  readonly about: string;
  readonly scopes: readonly SettingScope[];
}

/** By default only the user may set it, never a project folder. */
function setting<T>(
  kind: Kind<T>,
  byDefault: NoInfer<T>,
  about: string,
  further: readonly SettingScope[] = [],
): Setting<T> {
  return { kind, byDefault, about, scopes: ["user", ...further] };
}

const project = ["project"] as const;
const session = ["session"] as const;
const both = ["project", "session"] as const;

const resetMode = choice("none", "daily", "idle");

const table = {
  regularAgentSessions: setting(
    choice("resume", "fresh"),
    "resume",
    "Whether a regular agent that was off starts with its session or with a new one.",
  ),
  onResumeFailure: setting(
    choice("reseed", "fail"),
    "reseed",
    "Whether a session that cannot be resumed starts again from the transcript or is refused.",
    both,
  ),
  acrossAccounts: setting(
    choice("refuse", "reseed", "resume"),
    "refuse",
    "Whether a session is refused, started again from the transcript or resumed with another account or API key.",
    session,
  ),
  onInstructionsChange: setting(
    choice("note", "reseed"),
    "note",
    "Whether changed instructions are sent with the next turn or start a new provider session.",
    both,
  ),
  onModelChange: setting(
    choice("note", "reseed"),
    "note",
    "Whether a change of the model keeps the provider session, where possible, or starts a new one.",
    both,
  ),
  onAdvanced: setting(
    choice("reseed", "catch-up"),
    "reseed",
    "Whether an agent is reseeded or sent what it missed when another agent answered in between.",
    both,
  ),
  onQuota: setting(
    choice(...onQuotaChoices),
    "fail",
    "Whether a turn whose account's limit is used up fails, waits for the reset or goes to quotaAgent.",
    session,
  ),
  quotaWait: setting(
    duration,
    6 * 3_600_000,
    "How far away the reset of a limit may be for a turn to wait for it.",
    session,
  ),
  quotaAgent: setting(
    orNone(agentName),
    null,
    "The agent that a turn goes to with onQuota: switch.",
    session,
  ),
  maxStrikes: setting(
    count,
    3,
    "How many unknown failures in a row retire a provider session.",
    project,
  ),
  "budget.maxAge": setting(orNone(duration), null, "How old a provider session may become.", both),
  "budget.maxBytes": setting(
    orNone(count),
    null,
    "How many bytes the history of a provider session may have.",
    both,
  ),
  "budget.maxTokens": setting(
    orNone(count),
    null,
    "How many input tokens a turn of a provider session may take.",
    both,
  ),
  "budget.over": setting(
    choice("warn", "compact", "reseed", "refuse"),
    "warn",
    "What happens to a session that is over its budget.",
    both,
  ),
  archiveAfter: setting(
    orNone(duration, "never"),
    null,
    "How long a session may go unused before prune archives it.",
    session,
  ),
  "prune.after": setting(
    orNone(duration, "never"),
    180 * 86_400_000,
    "How long a session stays archived before prune purges it.",
  ),
  "prune.maxEntries": setting(
    orNone(count),
    5000,
    "How many archived sessions are kept; prune purges the oldest first.",
  ),
  "prune.mode": setting(
    choice("warn", "enforce"),
    "warn",
    "Whether prune only lists what is due or also archives and purges it.",
  ),
  "reset.mode": setting(
    resetMode,
    "none",
    "Whether sessions start blank automatically: each day, or after being idle.",
    session,
  ),
  "reset.atHour": setting(
    hour,
    4,
    "The hour, local time, at which a day begins for a daily reset.",
    session,
  ),
  "reset.idleMinutes": setting(
    count,
    60,
    "Minutes without a turn after which an idle reset is due.",
    session,
  ),
  "reset.surface": setting(
    byName(resetMode, surfaces),
    {},
    "The reset mode of single surfaces, such as chat=daily.",
  ),
  "reset.channel": setting(
    byName(resetMode),
    {},
    "The reset mode of single channels, such as support=idle; it wins over the surface's.",
  ),
  turnTimeout: setting(orNone(duration), null, "The default time limit of a turn.", project),
  legacyPersistentResumes: setting(
    truth,
    false,
    "Whether workflow nodes with session_type persistent continue the agent's own session.",
    project,
  ),
  probeTimeout: setting(
    duration,
    15_000,
    "How long an agent's program may take to report its version and abilities.",
  ),
  maxAgents: setting(
    orNone(count, "auto"),
    null,
    "How many agents may work at once on this host; auto: the smaller of 4 for each core and one for 400 MB, at least 4.",
  ),
  maxScripts: setting(
    orNone(count, "auto"),
    null,
    "How many scripts of shell nodes may run at once on this host; auto: 4 for each core.",
  ),
  publicUrl: setting(
    orNone(webAddress),
    null,
    "The address under which a proxy shows the server to browsers, such as https://reprise.example.com.",
  ),
  rateLimit: setting(
    orNone(count),
    100,
    "How many requests each token may make in a second; five times as many may come at once.",
  ),
  maxAccess: setting(
    choice(...accessLevels),
    "edit",
    "The highest access that a workflow or a class may give; the access of a run can exceed it.",
  ),
  allowedCommands: setting(
    commands,
    [],
    "Commands that agents with access edit may run where their provider has no sandbox.",
  ),
  providers: setting(
    modules,
    [],
    "Providers of your own: files, relative to your settings file, and packages that are installed beside it.",
  ),
  defaultAgent: setting(
    orNone(agentName),
    null,
    "Agent of new sessions when the command names none and folderAgents has none for the folder.",
  ),
  folderAgents: setting(
    byName(agentName),
    {},
    "Agents of new sessions by folder, for the folder and those below it, as in /src/parser=coder.",
  ),
  "protect.every": setting(
    duration,
    3_600_000,
    "How often a server scans for sessions that Reprise did not start, while protect is on.",
  ),
  "protect.keep": setting(
    orNone(duration, "forever"),
    null,
    "How long the copy of such a session is kept after its files are gone.",
  ),
  endGrace: setting(duration, 5000, "How long an agent has to exit by itself before it is killed."),
};

export type SettingName = keyof typeof table;
export type Settings = { readonly [Name in SettingName]: (typeof table)[Name]["byDefault"] };

export const settingNames = Object.keys(table) as SettingName[];

/** One source of settings, as it was read: nested, or with dotted names. */
export interface SettingsLayer {
  /** Shown to people: "flag", "environment", "project", "user"… */
  readonly origin: string;
  readonly values: unknown;
  /** `project`: forbidden or invalid settings are ignored and reported; they never block a command. */
  readonly scope?: SettingScope;
  /** Reports invalid settings in `broken` instead of throwing, for commands that help to correct them. */
  readonly tolerant?: boolean;
}

interface ResolvedSetting {
  readonly name: SettingName;
  /** As it is written in a file. */
  readonly value: string | number;
  readonly origin: string;
  readonly about: string;
  readonly scopes: readonly SettingScope[];
}

export interface ResolvedSettings {
  readonly values: Settings;
  list(): ResolvedSetting[];
  /** The ignored settings of a project, one sentence each with what to do. */
  readonly ignored: readonly string[];
  /** The invalid settings of tolerant layers, which stop other commands; one sentence each with what to do. */
  readonly broken: readonly string[];
}

/** The first layer that has a setting wins, else its default. Every layer is checked completely, so an error
 * is reported even if another layer overrides it.
 * @throws UsageError for an unknown name or a bad value, except in the file of a project.
 */
export function resolveSettings(layers: readonly SettingsLayer[]): ResolvedSettings {
  const ignored: string[] = [];
  const broken: string[] = [];
  const valuesOf = (layer: SettingsLayer) => {
    const { origin } = layer;
    // A cloned repository may contain this file, so invalid or forbidden settings in it never stop a command.
    if (layer.scope === "project")
      return readValid(layer, requireProjectSetting, (text) =>
        ignored.push(`Ignored in ${origin}: ${text}`),
      );
    if (!layer.tolerant) return readLayer(layer);
    return readValid(
      layer,
      () => {},
      (text) => broken.push(`In ${origin}: ${text}`),
    );
  };
  const read = layers.map((layer) => ({ origin: layer.origin, values: valuesOf(layer) }));
  const chosen = settingNames.map((name) => {
    const layer = read.find(({ values }) => values.has(name));
    const { byDefault } = table[name] as Setting<unknown>;
    const value = layer ? layer.values.get(name) : byDefault;
    return { name, value, origin: layer?.origin ?? "default" };
  });
  return {
    values: Object.fromEntries(chosen.map(({ name, value }) => [name, value])) as Settings,
    list: () =>
      chosen.map(({ name, value, origin }) => {
        const { kind, about, scopes } = table[name] as Setting<unknown>;
        return { name, value: kind.write(value), origin, about, scopes };
      }),
    ignored,
    broken,
  };
}

/** The names that may be set there. */
function settingsOf(scope: SettingScope): readonly SettingName[] {
  return settingNames.filter((name) => table[name].scopes.includes(scope));
}

/** @throws UsageError for a setting that a project file may not contain. */
export function requireProjectSetting(name: string): void {
  if (!Object.hasOwn(table, name) || table[name as SettingName].scopes.includes("project")) return;
  throw new UsageError(
    "not-for-projects",
    `A project folder cannot set ${name}: it may come with a repository that is not yours.`,
    `Set it in your own settings with ${command("config set", name, slot("VALUE"))}.`,
  );
}

/** A value as it is written in a file.
 * @throws UsageError for an unknown name or a bad value.
 */
export function canonicalSetting(name: string, value: unknown, origin: string): string | number {
  const { list } = resolveSettings([{ origin, values: { [name]: value } }]);
  return list().find((setting) => setting.name === name)!.value;
}

/** The allowed words of a setting, if there are only a few. */
export function settingChoices(name: string): readonly string[] {
  if (!Object.hasOwn(table, name)) return [];
  return table[name as SettingName].kind.choices ?? [];
}

/** `onResumeFailure` is `REPRISE_ON_RESUME_FAILURE` in the environment. */
export function environmentName(name: SettingName): string {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter}`).replaceAll(".", "_");
  return `REPRISE_${words.toUpperCase()}`;
}

/** The settings among the variables; other names that begin with REPRISE_ mean other things. */
export function environmentLayer(env: Readonly<Record<string, string | undefined>>): SettingsLayer {
  const set = settingNames
    .map((name) => [name, env[environmentName(name)]] as const)
    .filter(([, value]) => value !== undefined && value !== "");
  return { origin: "environment", values: Object.fromEntries(set) };
}

/** A held session keeps its provider session, whatever its budget is. */
export function withoutRotation(rules: Rules): Rules {
  const { over } = rules.budget;
  return over === "refuse" ? rules : { ...rules, budget: { ...rules.budget, over: "warn" } };
}

export function toRules(settings: Settings): Rules {
  return {
    onResumeFailure: settings.onResumeFailure,
    acrossAccounts: settings.acrossAccounts,
    onInstructionsChange: settings.onInstructionsChange,
    onModelChange: settings.onModelChange,
    onAdvanced: settings.onAdvanced,
    maxStrikes: settings.maxStrikes,
    budget: {
      maxAge: settings["budget.maxAge"],
      maxBytes: settings["budget.maxBytes"],
      maxTokens: settings["budget.maxTokens"],
      over: settings["budget.over"],
    },
    quota: {
      onQuota: settings.onQuota,
      quotaWait: settings.quotaWait,
      quotaAgent: settings.quotaAgent,
    },
  };
}

const quotaNames = ["onQuota", "quotaWait", "quotaAgent"] as const;

/**
 * The rules with what a turn, its session and its agent set about quotas; the first that sets one wins, and all win
 * over the user's own.
 */
export function withQuotaOf(
  rules: Rules,
  sources: readonly (Readonly<Record<string, unknown>> | undefined)[],
): Rules {
  const given = (source: Readonly<Record<string, unknown>> = {}) =>
    quotaNames.filter((name) => source[name] != null).map((name) => [name, source[name]] as const);
  const values = Object.fromEntries(sources.toReversed().flatMap(given));
  const read = readLayer({ origin: "agent", values });
  return {
    ...rules,
    quota: { ...rules.quota, ...(Object.fromEntries(read) as Partial<QuotaRules>) },
  };
}

/** The settings that are valid and pass `require`; the others are reported, one sentence each. */
function readValid(
  { origin, values }: SettingsLayer,
  require: (name: string) => void,
  report: (problem: string) => void,
): ReadonlyMap<SettingName, unknown> {
  const read = new Map<SettingName, unknown>();
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      report(`${error.message.replace(` (${origin})`, "")} ${error.hint}`);
    }
  };
  attempt(() => {
    for (const [name, value] of flatten(values ?? {}, "", origin))
      attempt(() => {
        require(name);
        for (const entry of readLayer({ origin, values: { [name]: value } })) read.set(...entry);
      });
  });
  return read;
}

/** Every setting that the layer has, read and checked. */
export function readLayer({ origin, values }: SettingsLayer): ReadonlyMap<SettingName, unknown> {
  const read = new Map<SettingName, unknown>();
  for (const [name, value] of flatten(values ?? {}, "", origin)) {
    if (!Object.hasOwn(table, name))
      throw new UsageError(
        "unknown-setting",
        `There is no setting "${name}" (${origin}).`,
        nameHint(name),
      );
    read.set(name as SettingName, readValue(name as SettingName, value, origin));
  }
  return read;
}

/** There are too many settings to name them all. */
function nameHint(name: string): string {
  const members = settingNames.filter((known) => known.startsWith(`${name}.`));
  if (members.length > 0) return `Use one of: ${members.join(", ")}.`;
  const nearest = suggestion(name, settingNames);
  return nearest === null
    ? `List all settings with ${verb("config")}.`
    : `Did you mean "${nearest}"?`;
}

function readValue(name: SettingName, value: unknown, origin: string): unknown {
  const { kind } = table[name] as Setting<unknown>;
  const parsed = kind.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  throw new UsageError(
    "bad-setting",
    `"${text}" is not a value for ${name} (${origin}).`,
    kind.hint(text),
  );
}

/** `{budget: {maxAge: "30d"}}` and `{"budget.maxAge": "30d"}` are the same. */
function flatten(values: unknown, prefix: string, origin: string): [string, unknown][] {
  if (!isGroup(values))
    throw new UsageError(
      "bad-settings",
      `The settings from ${origin} are not names with values.`,
      'Write them as "name: value", one on each line.',
    );
  return Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const name = `${prefix}${key}`;
    const group = settingNames.some((known) => known.startsWith(`${name}.`));
    return group && isGroup(value) ? flatten(value, `${name}.`, origin) : [[name, value]];
  });
}

function isGroup(values: unknown): values is Record<string, unknown> {
  return typeof values === "object" && values !== null && !Array.isArray(values);
}

// The settings that a single session may override.

/** The settings that affect decisions about this session, or its retention. */
export const sessionSettingNames: readonly SettingName[] = settingsOf("session");

/** Checks changes to a session's own settings; null removes a value.
 * @throws UsageError for a setting that a session cannot override, or a bad value.
 */
export function readSessionSettings(
  values: Readonly<Record<string, unknown>>,
): Record<string, string | number | null> {
  const read = Object.entries(values).map(([name, value]) => {
    const known = sessionSettingNames.find((each) => each === name);
    if (known === undefined)
      throw new UsageError(
        "no-session-setting",
        `"${name}" cannot be set for a single session.`,
        suggest(name, sessionSettingNames),
      );
    return [known, value === null ? null : canonicalSetting(known, value, "session")] as const;
  });
  return Object.fromEntries(read);
}

/** The settings for one session: its own win over the general ones. */
export function withSession(settings: Settings, own: SessionSettings): Settings {
  if (Object.keys(own).length === 0) return settings;
  const read = readLayer({ origin: "session", values: own });
  return {
    ...settings,
    // Its own reset mode also wins over those of its channel and surface.
    ...(read.has("reset.mode") && { "reset.surface": {}, "reset.channel": {} }),
    ...Object.fromEntries(read),
  };
}
