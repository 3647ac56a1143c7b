/**
 * Access as claude enforces it. `read` and `edit` use deny rules and a hook: claude's own settings files may add allow
 * rules, but none of those overrides a denial (tried with 2.1.325).
 */

import { type Access, higher } from "@reprise/core/session/access";
import type { LaunchRequest } from "../provider.ts";
import { splitRules } from "./rules.ts";
import { permissionMode } from "./settings.ts";

type Settings = Readonly<Record<string, string>>;

/** Tools that run commands. Without `Bash` claude offers `Glob` and `Grep` instead. */
const commandTools = ["Bash", "Monitor", "PowerShell"];
/** Tools that change something, whether or not this version has them. */
const changingTools = [
  "Edit",
  "Write",
  "MultiEdit",
  "NotebookEdit",
  "EnterWorktree",
  "ExitWorktree",
  "CronCreate",
  "CronDelete",
  "mcp__*",
];
/** Tools that only read, or whose calls are judged one by one: rules for them do not raise the access. */
const lookingTools =
  /^(Read|Glob|Grep|LSP|WebFetch|WebSearch|Agent|Task\w*|TodoWrite|Skill|ToolSearch)$/;
const editingTools = /^(Edit|Write|MultiEdit|NotebookEdit)$/;

/** The access that a rule of `allowedTools` grants: `full` unless it is known to be less. */
function givenByRule(rule: string): Access {
  const [, name = "", pattern] = /^([^(]+)(?:\((.*)\))?$/s.exec(rule) ?? [];
  if (lookingTools.test(name)) return "read";
  // `src/**` and `./src/**` start in the work folder; `/`, `//` and `~` lead out of it.
  if (editingTools.test(name) && pattern && /^(\.\/)?[^/~.*]/.test(pattern)) return "edit";
  if (editingTools.test(name) && /^(\.\/)?\*\*?(\/|$)/.test(pattern ?? "")) return "edit";
  return "full";
}

const givenByMode: Readonly<Record<string, Access>> = {
  acceptEdits: "edit",
  auto: "full",
  bypassPermissions: "full",
};

export function given(settings: Settings): Access | null {
  const rules = splitRules(settings.allowedTools ?? "").map(givenByRule);
  const mode = givenByMode[settings.permissionMode ?? ""] ?? null;
  const most = rules.reduce<Access>((highest, each) => higher(highest, each), mode ?? "read");
  return mode === null && rules.length === 0 ? null : most;
}

export interface ToolPolicy {
  readonly mode: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Rules with paths, for `--settings`: on the command line a comma in a path would end the rule. */
  readonly paths: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  /** For `--settings`. */
  readonly sandbox?: object;
  /** The only commands that our hook lets through; null: no hook judges commands. */
  readonly commands: readonly string[] | null;
  /** Calls for which claude would ask a person are deferred. */
  readonly asks: boolean;
}

export function policyOf({ agent, folder, access }: LaunchRequest): ToolPolicy {
  const { settings, readable = [] } = agent;
  const { level, named } = access;
  const rules = splitRules(settings.allowedTools ?? "");
  const disallowed = splitRules(settings.disallowedTools ?? "");
  const reading = [...readable, ...access.readable].map((each) => pathRule("Read", each));
  if (level === "full") {
    const own = { allow: rules, deny: disallowed, paths: { allow: reading, deny: [] } };
    return named
      ? { ...own, mode: "bypassPermissions", commands: null, asks: false }
      : {
          ...own,
          mode: permissionMode(settings),
          commands: null,
          asks: settings.permissions === "ask",
        };
  }
  const asks = access.asks || settings.permissions === "ask";
  const kept = rules.filter((rule) => higher(level, givenByRule(rule)) === level);
  const common = { mode: asks ? "default" : "dontAsk", allow: kept, asks };
  const hidden = access.hidden.flatMap(hiddenRules);
  if (level === "read")
    return {
      ...common,
      deny: [...commandTools, ...changingTools, ...disallowed],
      paths: { allow: reading, deny: hidden },
      commands: null,
    };
  // With `permissions=ask` claude asks about edits too, unless the mode accepts them.
  const asksEdits = settings.permissions === "ask" && settings.permissionMode !== "acceptEdits";
  const editing = named && !asksEdits ? [pathRule("Edit", folder)] : [];
  const edit = { ...common, paths: { allow: [...editing, ...reading], deny: hidden } };
  if (access.sandbox)
    return {
      ...edit,
      deny: ["PowerShell", ...disallowed],
      sandbox: sandboxOf(access.hidden),
      commands: null,
    };
  const runs = access.allowedCommands.length > 0 || asks;
  return {
    ...edit,
    deny: [...(runs ? ["Monitor", "PowerShell"] : commandTools), ...disallowed],
    commands: runs ? access.allowedCommands : null,
  };
}

/** A path from the root begins with two slashes in claude's rules. */
function pathRule(tool: string, folder: string): string {
  return `${tool}(/${escaped(folder)}/**)`;
}

/** Rules are patterns as in a .gitignore. */
function escaped(path: string): string {
  return path.replace(/[*?[\]\\]/g, "\\$&");
}

/** Covers a file, or a folder and everything in it. A rule for Read covers Glob and Grep too. */
function hiddenRules(path: string): string[] {
  return ["Read", "Edit"].flatMap((tool) => [`${tool}(/${escaped(path)})`, pathRule(tool, path)]);
}

/** Claude refuses to start when the sandbox's tools are missing, and no command may leave the sandbox. */
function sandboxOf(hidden: readonly string[]): object {
  const paths = hidden.map((path) => `/${path}`);
  return {
    enabled: true,
    failIfUnavailable: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    filesystem: { denyRead: paths, denyWrite: paths },
  };
}

/** As root claude does not start with `bypassPermissions` unless IS_SANDBOX is set. */
export function refusesAccess(
  { env }: { readonly env: Readonly<Record<string, string>> },
  { level, named }: { readonly level: Access; readonly named: boolean },
  isRoot = process.getuid?.() === 0,
): { message: string; hint: string } | null {
  if (level !== "full" || !named || !isRoot || ["1", "true"].includes(env.IS_SANDBOX ?? ""))
    return null;
  return {
    message: "claude refuses access full as root.",
    hint: "Use another user, or access edit; in a container that is a sandbox itself, set IS_SANDBOX=1.",
  };
}
