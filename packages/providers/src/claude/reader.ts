/** Parses the lines of `claude --print --output-format=stream-json` (2.1.325). */

import type { Question } from "@reprise/core/session/question";
import { addUsage, noUsage, type Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { AgentEvent, Exit, Reader } from "../provider.ts";
import { compactionFailure, type FailedResult, failureOf, refusalOf } from "./failure.ts";
import { answerTool, neverFitted } from "./schema.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheCreationInputTokens?: number;
}

interface Line extends FailedResult {
  readonly type?: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly model?: string;
  readonly claude_code_version?: string;
  /** Set on a subagent's messages. */
  readonly parent_tool_use_id?: string | null;
  readonly message?: { readonly content?: string | readonly Block[] };
  readonly error?: string;
  readonly is_api_error_message?: boolean;
  readonly is_error?: boolean;
  readonly deferred_tool_use?: ToolUse;
  /** A command of claude, such as `compact`, that ran instead of a turn. */
  readonly local_command?: string;
  readonly compact_result?: string;
  readonly compact_error?: string;
  readonly permission_denials?: readonly {
    readonly tool_name: string;
    readonly tool_use_id?: string;
    readonly tool_input?: unknown;
  }[];
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly cache_read_input_tokens?: number;
    readonly cache_creation_input_tokens?: number;
  };
  readonly rate_limit_info?: { readonly status?: string; readonly resetsAt?: number };
}

const questionTool = "AskUserQuestion";

/** Reasons with which a turn ends that is not an error; earlier versions give none. */
const endings = [undefined, null, "completed", "stop_hook_prevented", "hook_stopped"];

export function reader(): Reader {
  let settled = false;
  let error: string | undefined;
  let resetsAt: number | undefined;
  /** Why claude's last attempt to compact the conversation failed. */
  let notCompacted: string | null = null;
  /** The input of the last call of the answer tool. */
  let offered: unknown;
  /** Calls that have no result yet. */
  const open = new Map<string, ToolUse>();

  const said = ({ message, parent_tool_use_id }: Line): AgentEvent[] =>
    blocksOf(message).flatMap((block): AgentEvent[] => {
      if (block.type === "text" && !parent_tool_use_id)
        return [{ type: "text", text: block.text ?? "" }];
      if (block.type !== "tool_use" || !block.id || !block.name) return [];
      if (!parent_tool_use_id)
        open.set(block.id, { id: block.id, name: block.name, input: block.input });
      if (block.name === answerTool && !parent_tool_use_id) offered = block.input;
      // Neither a question nor an answer changes anything outside of the conversation.
      const harmless = block.name === questionTool || block.name === answerTool;
      return harmless ? [] : [{ type: "tool", name: block.name }];
    });

  /** The result of a call. Claude's list of denials leaves out tools that the access takes away. */
  const answered = ({ tool_use_id = "", content }: Block): AgentEvent[] => {
    const call = open.get(tool_use_id);
    open.delete(tool_use_id);
    if (!call || !isBlocked(call, content)) return [];
    return [{ type: "denied", id: call.id, tool: call.name, detail: detailOf(call.input) }];
  };

  const ended = (line: Line): AgentEvent[] => {
    const { deferred_tool_use: deferred, terminal_reason } = line;
    // A resumed claude first retries a call that an earlier turn left deferred, and prints a first result when it is
    // deferred again. The model did not make that call in this launch, so it is not a new question.
    if (!line.is_error && deferred && !open.has(deferred.id)) return [];
    settled = true;
    const used = usageOf(line);
    const usage: AgentEvent[] = used ? [{ type: "usage", usage: used }] : [];
    if (!line.is_error && deferred) {
      open.delete(deferred.id);
      const lost = [...open.values()].map(questionOf);
      return [...usage, { type: "asked", question: questionOf(deferred), lost }];
    }
    // Claude also reports a failed compaction as a success.
    if (line.local_command === "compact" && notCompacted !== null)
      return [...usage, { type: "failure", failure: compactionFailure(notCompacted) }];
    if (!line.is_error && endings.includes(terminal_reason))
      return [...usage, ...denials(line), { type: "result", text: line.result ?? "" }];
    // The last call did not fit the schema, but it still is the answer: Reprise reports what is wrong with it.
    if (terminal_reason === neverFitted)
      return [...usage, { type: "result", text: JSON.stringify(offered) ?? "" }];
    // It was interrupted, which the exit code reports.
    if (terminal_reason?.startsWith("aborted_")) return usage;
    const failed = { ...line, error, resetsAt, exhausted: notCompacted !== null };
    return [...usage, { type: "failure", failure: failureOf(failed) }];
  };

  return {
    line(text) {
      const line = jsonLine(text) as Line | null;
      switch (line?.type) {
        case "system":
          if (line.compact_result)
            notCompacted = line.compact_result === "failed" ? (line.compact_error ?? "") : null;
          return line.session_id && line.subtype === "init"
            ? [
                { type: "session", id: line.session_id },
                ...(line.model ? [{ type: "model", name: line.model } as const] : []),
                ...(line.claude_code_version
                  ? [{ type: "version", version: line.claude_code_version } as const]
                  : []),
              ]
            : notesOf(line);
        case "rate_limit_event":
          if (line.rate_limit_info?.status === "rejected") resetsAt = line.rate_limit_info.resetsAt;
          return [];
        case "assistant":
          // Claude prints an error of the model's service in place of an answer.
          if (line.is_api_error_message) error = line.error;
          return line.is_api_error_message ? [] : said(line);
        case "user":
          return blocksOf(line.message).flatMap(answered);
        case "result":
          return ended(line);
        default:
          return [];
      }
    },

    end({ code, stderr }: Exit) {
      // Zero, a signal or no code: the lines already reported everything.
      if (settled || code === null || code === 0 || code > 128) return [];
      const lines = stderr.split("\n").filter((line) => line.trim() !== "");
      // Refused before a turn began: standard output is empty, and standard error has one line.
      const said = lines.find((line) => refusalOf(line).kind !== "unknown") ?? lines.at(-1);
      return [{ type: "failure", failure: refusalOf(said ?? `exit code ${code}`) }];
    },
  };
}

function blocksOf(message: Line["message"]): readonly Block[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function questionOf({ id, name, input }: ToolUse): Question {
  return { id, kind: name === questionTool ? "question" : "permission", tool: name, input };
}

/** A denied tool is not an error: the turn continues without it. */
function denials({ permission_denials = [] }: Line): AgentEvent[] {
  return permission_denials.map(({ tool_name: tool, tool_use_id: id, tool_input }) => ({
    type: "denied",
    tool,
    detail: detailOf(tool_input),
    ...(id !== undefined && { id }),
  }));
}

/** Whether the access takes the tool away, or the sandbox stopped the command. */
function isBlocked({ name }: ToolUse, content: unknown): boolean {
  const text = typeof content === "string" ? content : (JSON.stringify(content) ?? "");
  if (/No such tool available: .* is disabled for this session/.test(text)) return true;
  return name === "Bash" && /Read-only file system|Operation not permitted/.test(text);
}

/** The part of a tool's input that identifies the call to a person. */
function detailOf(input: unknown): string | null {
  const { command, file_path, notebook_path, path, url, pattern } = (input ?? {}) as Record<
    string,
    unknown
  >;
  const said = command ?? file_path ?? notebook_path ?? url ?? pattern ?? path;
  return typeof said === "string" ? said : null;
}

const notes: Readonly<Record<string, string>> = {
  api_retry: "The model's service failed; claude retries.",
  compact_boundary: "Claude compacted the conversation.",
  session_writes_lost: "Claude could not save all of the session.",
};

function notesOf({ subtype = "" }: Line): AgentEvent[] {
  const text = Object.hasOwn(notes, subtype) ? notes[subtype] : undefined;
  return text ? [{ type: "note", text }] : [];
}

/**
 * The usage of this process alone, subagents included; earlier versions report only the main conversation. Missing
 * numbers are unknown; a table without models means that no model was used.
 */
function usageOf({ model_usage_since_last_result: models, usage }: Line): Usage | null {
  if (models)
    return (
      Object.values(models)
        .map((model) => ({
          cachedRead: model.cacheReadInputTokens ?? null,
          cachedWrite: model.cacheCreationInputTokens ?? null,
          uncached: model.inputTokens ?? null,
          output: model.outputTokens ?? null,
        }))
        .reduce((sum: Usage | null, each) => (sum ? addUsage(sum, each) : each), null) ?? noUsage
    );
  if (!usage) return null;
  return {
    cachedRead: usage.cache_read_input_tokens ?? null,
    cachedWrite: usage.cache_creation_input_tokens ?? null,
    uncached: usage.input_tokens ?? null,
    output: usage.output_tokens ?? null,
  };
}
