/** The command line of one turn of claude. The prompt comes on standard input. */

import { SessionLostError } from "@reprise/core/errors/errors";
import { option } from "@reprise/core/errors/hint";
import { higher } from "@reprise/core/session/access";
import type { Handle } from "@reprise/core/session/pin";
import { answersVariable, deferredVariable } from "../answers.ts";
import { type Bridge, bridgePath } from "../define-provider.ts";
import type { AgentCommand, LaunchRequest, ProviderAgent } from "../provider.ts";
import { given, policyOf, type ToolPolicy } from "./access.ts";
import { commandHook, questionHook } from "./bridges.ts";
import { everyCall, splitRules } from "./rules.ts";

/** Claude's ids are case-sensitive, and it takes anything that is not a UUID for a title. */
export const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Tools for which claude never asks a person. */
const harmless =
  "Read|Glob|Grep|LSP|Agent|Task.*|TodoWrite|Skill|ToolSearch|ListAgents|ReportFindings|StructuredOutput|Enter.*";

/** A claude process that runs for more than a few seconds deletes sessions older than this. */
const cleanupPeriodDays = 36_500;

export function command(request: LaunchRequest): AgentCommand {
  const { agent, binary, runtime, model, answers, deferred, schema } = request;
  const { home, mcpConfig } = agent.settings;
  const policy = policyOf(request);
  return {
    argv: [
      binary,
      "--print",
      "--output-format=stream-json",
      "--verbose",
      // The session keeps none of these except the model.
      `--settings=${JSON.stringify(settingsOf(request, policy))}`,
      `--permission-mode=${policy.mode}`,
      // Without a prompt tool claude does not offer AskUserQuestion at all.
      "--permission-prompt-tool=stdio",
      ...ruleFlags(policy),
      ...(mcpConfig ? [`--mcp-config=${mcpConfig}`] : []),
      ...(model === null ? [] : [`--model=${model}`]),
      ...(schema ? [`--json-schema=${schema.text}`] : []),
      ...sessionFlags(request),
    ],
    env: {
      ...defaults(agent),
      // Passed only if set: without it claude keeps .claude.json beside ~/.claude, not in it.
      ...(home && { CLAUDE_CONFIG_DIR: runtime.home }),
      // `@name` in a prompt would add the content of that file.
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
      ...(answers && { [answersVariable]: answers }),
      ...(deferred && { [deferredVariable]: deferred }),
    },
  };
}

/** `/compact` works in print mode too; its arguments are what the summary should focus on. */
export function compact(
  request: LaunchRequest & { readonly resume: Handle },
  focus: string | null,
): AgentCommand & { readonly prompt: string } {
  return { ...command(request), prompt: ["/compact", focus?.trim() ?? ""].join(" ").trim() };
}

/** Opens a session in claude's own screen, where claude asks the person directly, so no hook defers. */
export function interactive(request: LaunchRequest & { readonly resume: Handle }): AgentCommand {
  const { agent, binary, runtime, model } = request;
  const { home, mcpConfig } = agent.settings;
  const policy = policyOf(request);
  return {
    argv: [
      binary,
      `--settings=${JSON.stringify({ cleanupPeriodDays, ...permissionsOf(policy) })}`,
      `--permission-mode=${interactiveMode(request)}`,
      ...ruleFlags(policy),
      ...(mcpConfig ? [`--mcp-config=${mcpConfig}`] : []),
      ...(model === null ? [] : [`--model=${model}`]),
      ...sessionFlags(request),
    ],
    env: { ...defaults(agent), ...(home && { CLAUDE_CONFIG_DIR: runtime.home }) },
  };
}

/** Claude asks the person where a turn would be denied. A mode that the user chose stays if the access allows it. */
function interactiveMode({ agent: { settings }, access: { level } }: LaunchRequest): string {
  const { permissionMode: mode = "default" } = settings;
  return higher(level, given({ permissionMode: mode })) === level ? mode : "default";
}

function ruleFlags({ allow, deny }: ToolPolicy): string[] {
  return [
    ...(allow.length > 0 ? [`--allowedTools=${allow.join(",")}`] : []),
    ...(deny.length > 0 ? [`--disallowedTools=${deny.join(",")}`] : []),
  ];
}

function settingsOf(request: LaunchRequest, policy: ToolPolicy): object {
  return {
    cleanupPeriodDays,
    // A project's settings file, even an untrusted one, can switch off all hooks, including ours.
    disableAllHooks: false,
    hooks: hooksOf(request, policy),
    ...permissionsOf(policy),
  };
}

function permissionsOf({ paths, sandbox }: ToolPolicy): object {
  const isSaid = paths.allow.length + paths.deny.length > 0;
  return { ...(isSaid && { permissions: paths }), ...(sandbox && { sandbox }) };
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
    `Send with ${option("continuity", "reseed")} to start again from the transcript.`,
    `"${id}" is not a UUID in lower case`,
  );
}

/**
 * Our hook defers what a person has to answer: questions always, permissions if the settings say so. While a call of
 * an earlier turn is deferred, the hook sees every call, since that one may be of any tool. Another hook judges
 * commands where there is no sandbox.
 */
function hooksOf(
  { agent: { settings }, folder, deferred }: LaunchRequest,
  { paths, asks, commands, sandbox }: ToolPolicy,
) {
  const hook = (bridge: Bridge, matcher: string, args: readonly string[] = []) => ({
    matcher,
    hooks: [
      {
        type: "command",
        command: [process.execPath, bridgePath(bridge), ...args].map(quoted).join(" "),
      },
    ],
  });
  const isEditing = paths.allow.some((rule) => rule.startsWith("Edit("));
  const edits = settings.permissionMode === "acceptEdits" ? "|Edit|Write|NotebookEdit" : "";
  const asked = `^(?!(AskUserQuestion|${harmless}${edits}${sandbox ? "|Bash" : ""})$)`;
  const covered = [
    ...splitRules(settings.allowedTools ?? ""),
    ...(commands ?? []).map((command) => `Bash(${command})`),
    ...(isEditing ? [`Edit(${folder}/*)`, `Write(${folder}/*)`] : []),
  ];
  return {
    PreToolUse: [
      hook(questionHook, "AskUserQuestion"),
      ...(asks ? [hook(questionHook, asked, covered)] : []),
      ...(deferred != null ? [hook(questionHook, "*", [everyCall])] : []),
      ...(commands
        ? [hook(commandHook, "^Bash$", [...(asks ? ["--others-ask"] : []), ...commands])]
        : []),
    ],
  };
}

/** Quoted for sh, with which claude runs hooks. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Defaults, which the agent's environment can override. */
function defaults({ env }: ProviderAgent): Record<string, string> {
  const wanted = {
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // By default claude retries ten times, for minutes.
    CLAUDE_CODE_MAX_RETRIES: "3",
    // Otherwise claude's background service adopts the work of a claude that ends, and keeps writing to its session.
    CLAUDE_DISABLE_ADOPT: "1",
    CLAUDE_CODE_DISABLE_AGENT_VIEW: "1",
  };
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => env[name] === undefined));
}
