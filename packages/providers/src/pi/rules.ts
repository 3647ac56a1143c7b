/**
 * What a launch may do with pi's tools, judged for each call by Reprise's extension. It is loaded by pi itself, so it
 * imports nothing but Node's own modules.
 */

import { lstatSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The environment variable that has the rules of a launch. */
export const rulesVariable = "REPRISE_PI_RULES";

export interface ToolRules {
  /** Where `edit` and `write` may write; null: nowhere. */
  readonly writable: string | null;
  /** Commands that may run, exactly as written. */
  readonly commands: readonly string[];
  /** What no tool may reach. */
  readonly hidden: readonly string[];
}

export interface PiToolCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** How the reader tells a denial from any other error of a tool. */
export const denialMark = "Denied by Reprise:";

/** Why the call is denied; null when it is allowed. `cwd` is where pi works. */
export function denialOf(
  rules: ToolRules,
  { toolName, input }: PiToolCall,
  cwd: string,
): string | null {
  try {
    const words = judge(rules, toolName, input, cwd);
    return words === null ? null : `${denialMark} ${words}`;
  } catch (error) {
    return `${denialMark} where it leads is unknown (${String(error)}).`;
  }
}

function judge(
  { writable, commands, hidden }: ToolRules,
  tool: string,
  input: PiToolCall["input"],
  cwd: string,
): string | null {
  switch (tool) {
    case "read":
    case "grep":
    case "find":
    case "ls": {
      const path = realPath(pathOf(input.path ?? ".", cwd));
      return reaches(path, hidden) ? `${path} belongs to Reprise.` : null;
    }
    case "edit":
    case "write": {
      const path = realPath(pathOf(input.path, cwd));
      if (reaches(path, hidden)) return `${path} belongs to Reprise.`;
      if (writable === null) return "this agent may not change files.";
      return isWithin(path, realPath(writable)) ? null : `${path} is outside of ${writable}.`;
    }
    case "bash":
      return commands.includes(String(input.command))
        ? null
        : "only the commands that Reprise allows may run.";
    default:
      return `the tool ${tool} is not allowed.`;
  }
}

const unicodeSpaces = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** As pi (1.5) reads a path that its model writes. */
function pathOf(written: unknown, cwd: string): string {
  const text = String(written).replace(unicodeSpaces, " ").replace(/^@/, "");
  if (text === "~" || text.startsWith("~/")) return join(homedir(), text.slice(1));
  return resolve(cwd, text.startsWith("file://") ? fileURLToPath(text) : text);
}

/** For a file that is not there yet, the path that it would have. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // A link to nothing, a circle, a folder that cannot be read: nothing tells where it leads.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || isLink(path)) throw error;
    return join(realPath(dirname(path)), basename(path));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function reaches(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder) || isWithin(path, realPath(folder)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
