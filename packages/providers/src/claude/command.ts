/** The command line of one turn of claude. The prompt comes on standard input. */

import { SessionLostError } from "@reprise/core/errors/errors";
import type { Handle } from "@reprise/core/session/pin";
import { answersVariable, deferredVariable } from "../answers.ts";
import { bridgePath } from "../bridges.ts";
import type { Command, LaunchRequest, ProviderAgent } from "../provider.ts";
import { everyCall, splitRules } from "./rules.ts";
import { permissionMode } from "./settings.ts";

/** Claude tells upper and lower case apart, and takes anything that is no UUID for a title. */
export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tools for which claude never asks a person. */
const harmless =
  "Read|Glob|Grep|LSP|Agent|Task.*|TodoWrite|Skill|ToolSearch|ListAgents|ReportFindings|StructuredOutput|Enter.*";

/** A process that lives longer than some seconds deletes sessions that rested longer than this. */
const cleanupPeriodDays = 36_500;

export function command(request: LaunchRequest): Command {
  const { agent, binary, runtime, model, answers, deferred, schema } = request;
  const { home, disallowedTools, mcpConfig } = agent.settings;
  const allowedTools = allowed(agent);
  return {
    argv: [
      binary,
      "--print",
      "--output-format=stream-json",
      "--verbose",
      // Nothing of this sticks to a session, but for the model.
      `--settings=${JSON.stringify({ cleanupPeriodDays, hooks: hooksOf(agent, deferred != null) })}`,
      `--permission-mode=${permissionMode(agent.settings)}`,
      // Without somebody to prompt claude does not offer AskUserQuestion at all.
      "--permission-prompt-tool=stdio",
      ...(allowedTools ? [`--allowedTools=${allowedTools}`] : []),
      ...(disallowedTools ? [`--disallowedTools=${disallowedTools}`] : []),
      ...(mcpConfig ? [`--mcp-config=${mcpConfig}`] : []),
      ...(model === null ? [] : [`--model=${model}`]),
      ...(schema ? [`--json-schema=${schema.text}`] : []),
      ...sessionFlags(request),
    ],
    env: {
      ...defaults(agent),
      // Said only where it was set: without it claude keeps .claude.json beside ~/.claude, not in it.
      ...(home && { CLAUDE_CONFIG_DIR: runtime.home }),
      // `@name` in a prompt would add the content of that file.
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
      ...(answers && { [answersVariable]: answers }),
      ...(deferred && { [deferredVariable]: deferred }),
    },
  };
}

/** `/compact` is a command of claude's in print mode too; its words are what the summary shall mind. */
export function compact(
  request: LaunchRequest & { readonly resume: Handle },
  focus: string | null,
): Command & { readonly prompt: string } {
  return { ...command(request), prompt: ["/compact", focus?.trim() ?? ""].join(" ").trim() };
}

/** Claude's own screen on a session: whoever sits there is asked by claude itself, so no hook defers. */
export function interactive(request: LaunchRequest & { readonly resume: Handle }): Command {
  const { agent, binary, runtime, model } = request;
  const { home, allowedTools, disallowedTools, mcpConfig } = agent.settings;
  return {
    argv: [
      binary,
      `--settings=${JSON.stringify({ cleanupPeriodDays })}`,
      `--permission-mode=${agent.settings.permissionMode ?? "default"}`,
      ...(allowedTools ? [`--allowedTools=${allowedTools}`] : []),
      ...(disallowedTools ? [`--disallowedTools=${disallowedTools}`] : []),
      ...(mcpConfig ? [`--mcp-config=${mcpConfig}`] : []),
      ...(model === null ? [] : [`--model=${model}`]),
      ...sessionFlags(request),
    ],
    env: { ...defaults(agent), ...(home && { CLAUDE_CONFIG_DIR: runtime.home }) },
  };
}

/** A rule for Read lets nothing be written there, in whichever mode. */
function allowed({ settings, readable = [] }: ProviderAgent): string {
  const rules = [settings.allowedTools, ...readable.map((folder) => `Read(/${folder}/**)`)];
  return rules.filter(Boolean).join(",");
}

function sessionFlags({ resume, newId }: LaunchRequest): string[] {
  if (resume !== null) return [`--resume=${checkedId(resume.id)}`];
  if (newId === null) throw new TypeError("A new session of claude needs an id.");
  return [`--session-id=${newId}`];
}

function checkedId(id: string): string {
  if (idPattern.test(id)) return id;
  throw new SessionLostError(
    "bad-session-id",
    "The pinned id is not one that claude can resume.",
    "Send with --reseed to start again from the transcript.",
    `"${id}" is not a UUID in lower case`,
  );
}

/**
 * What a person has to answer is deferred by our hook: questions always, permissions if so set. While the
 * session has an old call deferred, the hook sees every call, since that one may be of any tool.
 */
function hooksOf({ settings }: ProviderAgent, hasDeferred: boolean) {
  const program = [process.execPath, bridgePath("claude-hook")];
  const hook = (matcher: string, rules: readonly string[] = []) => ({
    matcher,
    hooks: [{ type: "command", command: [...program, ...rules].map(quoted).join(" ") }],
  });
  const edits = settings.permissionMode === "acceptEdits" ? "|Edit|Write|NotebookEdit" : "";
  const asked = `^(?!(AskUserQuestion|${harmless}${edits})$)`;
  const permissions = settings.permissions === "ask";
  return {
    PreToolUse: [
      hook("AskUserQuestion"),
      ...(permissions ? [hook(asked, splitRules(settings.allowedTools ?? ""))] : []),
      ...(hasDeferred ? [hook("*", [everyCall])] : []),
    ],
  };
}

/** For sh, which claude runs a hook with. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** What somebody may set otherwise in the agent's environment. */
function defaults({ env }: ProviderAgent): Record<string, string> {
  const wanted = {
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // By default it tries ten times, for minutes.
    CLAUDE_CODE_MAX_RETRIES: "3",
    // Claude's own background service would take over what an ending claude leaves, and write on in its session.
    CLAUDE_DISABLE_ADOPT: "1",
    CLAUDE_CODE_DISABLE_AGENT_VIEW: "1",
  };
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => env[name] === undefined));
}
