/** Answers an agent's request for permission by the access of the launch; pure. Nothing waits for a person. */

import type { Access, Denial } from "@reprise/core/session/access";
import type { AgentToolCall, PermissionRequest } from "./protocol.ts";

export interface PermissionRules {
  readonly level: Access;
  /** Real path of the work folder. */
  readonly folder: string;
  readonly allowedCommands: readonly string[];
  /** Files and folders of Reprise. */
  readonly hidden: readonly string[];
}

export interface PermissionAnswer {
  /** What the agent gets. */
  readonly outcome:
    | { readonly outcome: "selected"; readonly optionId: string }
    | { readonly outcome: "cancelled" };
  /** Null if the tool was allowed. */
  readonly denied: (Denial & { readonly id: string }) | null;
}

const looking = ["read", "search", "think"];
const changing = ["edit", "delete", "move"];

/** `known` is what the agent has said of the call before. `realPath` resolves links, and a path from the
 * work folder. */
export function answerPermission(
  { toolCall = {}, options = [] }: PermissionRequest,
  known: AgentToolCall,
  rules: PermissionRules,
  realPath: (path: string) => string,
): PermissionAnswer {
  const call = merged(known, toolCall);
  const option = (kind: string) => {
    const id = options.find((each) => each.kind === kind)?.optionId;
    return typeof id === "string" ? id : null;
  };
  // Never "always": the agent would not ask again under another access. With full access that changes nothing.
  const yes = option("allow_once") ?? (rules.level === "full" ? option("allow_always") : null);
  if (yes !== null && isAllowed(call, rules, realPath))
    return { outcome: { outcome: "selected", optionId: yes }, denied: null };
  const no = option("reject_once") ?? option("reject_always");
  const tool = word(call.name) ?? word(call.kind) ?? "tool";
  const detail = commandOf(call) ?? word(call.title) ?? pathsOf(call)[0] ?? null;
  return {
    outcome: no === null ? { outcome: "cancelled" } : { outcome: "selected", optionId: no },
    denied: { tool, detail, id: word(call.toolCallId) ?? `${tool} ${detail}` },
  };
}

function isAllowed(
  call: AgentToolCall,
  { level, folder, allowedCommands, hidden }: PermissionRules,
  realPath: (path: string) => string,
): boolean {
  if (level === "full") return true;
  const kind = word(call.kind) ?? "other";
  const paths = pathsOf(call).map(realPath);
  if (paths.some((path) => hidden.some((each) => isWithin(path, each)))) return false;
  if (looking.includes(kind)) return true;
  if (level === "read") return false;
  if (kind === "execute") return allowedCommands.includes(commandOf(call) ?? "");
  // A call that does not say which files it changes may change any.
  const isInside = paths.length > 0 && paths.every((path) => isWithin(path, folder));
  return changing.includes(kind) && isInside;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The exact command; a title is not taken for one, because agents shorten it. */
function commandOf({ rawInput }: AgentToolCall): string | null {
  return word((rawInput as { command?: unknown } | null)?.command);
}

/** All files that the call names: as its places, as the changes that it shows, and in its input. */
function pathsOf({ locations, content, rawInput }: AgentToolCall): string[] {
  const input = (rawInput ?? {}) as Readonly<Record<string, unknown>>;
  const changes = (Array.isArray(content) ? content : []) as readonly { path?: unknown }[];
  const named = [
    ...(locations ?? []).map(({ path }) => path),
    ...changes.map((each) => each?.path),
    ...["path", "file_path", "filePath", "filepath"].map((name) => input[name]),
  ];
  return [...new Set(named.filter((path): path is string => typeof path === "string"))];
}

function merged(known: AgentToolCall, call: AgentToolCall): AgentToolCall {
  const said = Object.entries(call).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(said) };
}

function word(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
