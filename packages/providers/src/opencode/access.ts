/**
 * Access as opencode enforces it. `read` and `edit` run as an agent of Reprise's own, which is not merged with the rules
 * of the user's agents, and the project's configuration is not loaded. Nothing is left to ask about: opencode (1.18)
 * answers what a new subagent asks, but waits for ever when a subagent that is continued asks.
 *
 * Its rules for commands do not hold: they see no redirection, and none of `[[ -v 'a[$(touch x)]' ]]`, which bash
 * executes. So a command goes through a shell of Reprise's that runs the allowed commands alone.
 */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Access } from "@reprise/core/session/access";
import type { LaunchAccess, LaunchRequest } from "../provider.ts";

type Settings = Readonly<Record<string, string>>;
type Action = "allow" | "deny";
type Rules = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

/** Names that no agent of a user has. */
const agentName = "reprise";
const helperName = "reprise-helper";

export function given({ permissions }: Settings): Access | null {
  return permissions === "auto" ? "full" : null;
}

export interface OpencodeAccess {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What is added to opencode's configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Commands that its shell may run; null for any. */
  readonly commands: readonly string[] | null;
}

export function enforcement(request: LaunchRequest): OpencodeAccess {
  const { agent, access, folder } = request;
  if (access.level === "full") {
    const auto = access.named || agent.settings.permissions === "auto";
    return {
      flags: auto ? ["--auto"] : [],
      env: {},
      config: { permission: auto ? asked("allow") : asked("deny") },
      commands: null,
    };
  }
  const readable = [...(agent.readable ?? []), ...access.readable].filter((path) =>
    existsSync(path),
  );
  const rules = rulesFor(access, folder, readable);
  return {
    flags: [`--agent=${agentName}`],
    env: { OPENCODE_DISABLE_PROJECT_CONFIG: "1" },
    config: {
      agent: {
        [agentName]: { mode: "primary", permission: { ...rules, task: only([helperName]) } },
        [helperName]: {
          mode: "subagent",
          description: "Works on a question or task of its own, with the same permissions.",
          permission: { ...rules, task: "deny" },
        },
      },
    },
    commands: access.level === "edit" ? access.allowedCommands : [],
  };
}

/** What opencode (1.18) asks about unless its configuration says otherwise. */
function asked(action: Action): Rules {
  return {
    doom_loop: action,
    external_directory: { "*": action },
    read: { "*.env": action, "*.env.*": action, "*.env.example": "allow" },
  };
}

/** In each of them the last rule that matches counts. */
function rulesFor(
  { level, allowedCommands, hidden }: LaunchAccess,
  folder: string,
  readable: readonly string[],
): Rules {
  const roots = worktrees(folder);
  const open = [folder, ...roots.slice(1), ...readable];
  const kept = within(reachable(hidden, open), roots, "deny");
  const edits =
    level === "edit" ? { ...only([]), ...within([folder], roots, "allow"), ...outwards } : only([]);
  return {
    "*": "deny",
    read: { "*": "allow", ...kept },
    list: "allow",
    glob: "allow",
    grep: "allow",
    todowrite: "allow",
    external_directory: {
      "*": "deny",
      ...Object.fromEntries(readable.map((path) => [join(path, "*"), "allow" as const])),
    },
    ...(level === "edit" && { edit: { ...edits, ...kept } }),
    // A tool that is never allowed is not offered.
    bash: level === "edit" && allowedCommands.length > 0 ? "allow" : "deny",
  };
}

const outwards = { "../*": "deny" } as const;

function only(names: readonly string[]): Readonly<Record<string, Action>> {
  return { "*": "deny", ...Object.fromEntries(names.map((name) => [name, "allow" as const])) };
}

/** Opencode names a file by its path from the root of the repository, or from `/` where there is none. */
function within(
  paths: readonly string[],
  roots: readonly string[],
  action: Action,
): Record<string, Action> {
  const rules: [string, Action][] = roots.flatMap((root) =>
    paths.flatMap((path): [string, Action][] => {
      const name = relative(root, path);
      return name === ""
        ? [["*", action]]
        : [
            [name, action],
            [`${name}/*`, action],
          ];
    }),
  );
  return Object.fromEntries(rules);
}

/** An environment variable has at most 128 KiB. */
const maxSiblings = 40;

/** The hidden paths in what the agent may read at all; a folder with many of them is hidden as a whole. */
function reachable(hidden: readonly string[], open: readonly string[]): string[] {
  const near = hidden.filter((path) => open.some((each) => isWithin(path, each)));
  return [...Map.groupBy(near, dirname)].flatMap(([parent, paths]) => {
    const hides = paths.length > maxSiblings && !open.some((each) => isWithin(each, parent));
    return hides ? [parent] : paths;
  });
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(join(folder, "/"));
}

/** The roots from which opencode may name the files: `/`, the repository's, and that of a linked worktree's main one. */
function worktrees(folder: string): string[] {
  const root = repository(folder);
  if (root === null) return ["/"];
  const main = mainOf(join(root, ".git"));
  return ["/", root, ...(main === null ? [] : [main])];
}

function repository(folder: string): string | null {
  if (existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? null : repository(dirname(folder));
}

/** A linked worktree has a file that names a folder in the main repository. */
function mainOf(git: string): string | null {
  try {
    const [, path] = /^gitdir: (.+)\/\.git\/worktrees\//.exec(readFileSync(git, "utf8")) ?? [];
    return path === undefined ? null : resolve(dirname(git), path);
  } catch {
    return null;
  }
}
