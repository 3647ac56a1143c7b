/** Understands the lines of `claude --print --output-format=stream-json` (2.1.325). */

import type { Question } from "@reprise/core/session/question";
import { addUsage, noUsage, type Usage } from "@reprise/core/usage/usage";
import type { AgentEvent, Exit, Reader } from "../provider.ts";
import { type FailedResult, failureOf, refusalOf } from "./failure.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
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
  /** Set on what a subagent says. */
  readonly parent_tool_use_id?: string | null;
  readonly message?: { readonly content?: string | readonly Block[] };
  readonly error?: string;
  readonly is_api_error_message?: boolean;
  readonly is_error?: boolean;
  readonly deferred_tool_use?: ToolUse;
  readonly permission_denials?: readonly { readonly tool_name: string }[];
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

/** How a turn ends that is not an error; earlier versions do not say it. */
const endings = [undefined, null, "completed", "stop_hook_prevented", "hook_stopped"];

export function reader(): Reader {
  let settled = false;
  let error: string | undefined;
  let resetsAt: number | undefined;
  /** Calls that have no result yet. */
  const open = new Map<string, ToolUse>();

  const said = ({ message, parent_tool_use_id }: Line): AgentEvent[] =>
    blocksOf(message).flatMap((block): AgentEvent[] => {
      if (block.type === "text" && !parent_tool_use_id)
        return [{ type: "text", text: block.text ?? "" }];
      if (block.type !== "tool_use" || !block.id || !block.name) return [];
      if (!parent_tool_use_id)
        open.set(block.id, { id: block.id, name: block.name, input: block.input });
      // A question changes nothing outside of the conversation.
      return block.name === questionTool ? [] : [{ type: "tool", name: block.name }];
    });

  const ended = (line: Line): AgentEvent[] => {
    settled = true;
    const usage: AgentEvent = { type: "usage", usage: usageOf(line) };
    const { deferred_tool_use: deferred, terminal_reason } = line;
    if (!line.is_error && deferred) {
      open.delete(deferred.id);
      const lost = [...open.values()].map(questionOf);
      return [usage, { type: "asked", question: questionOf(deferred), lost }];
    }
    if (!line.is_error && endings.includes(terminal_reason))
      return [usage, ...denials(line), { type: "result", text: line.result ?? "" }];
    // Somebody interrupted it; the exit says so.
    if (terminal_reason?.startsWith("aborted_")) return [usage];
    return [usage, { type: "failure", failure: failureOf({ ...line, error, resetsAt }) }];
  };

  return {
    line(text) {
      const line = parse(text);
      switch (line?.type) {
        case "system":
          return line.session_id && line.subtype === "init"
            ? [{ type: "session", id: line.session_id }]
            : notesOf(line);
        case "rate_limit_event":
          if (line.rate_limit_info?.status === "rejected") resetsAt = line.rate_limit_info.resetsAt;
          return [];
        case "assistant":
          // An error of the model's service stands in the place of an answer.
          if (line.is_api_error_message) error = line.error;
          return line.is_api_error_message ? [] : said(line);
        case "user":
          for (const { tool_use_id } of blocksOf(line.message)) open.delete(tool_use_id ?? "");
          return [];
        case "result":
          return ended(line);
        default:
          return [];
      }
    },

    end({ code, stderr }: Exit) {
      // Zero, a signal or no code at all: the lines say everything there is to say.
      if (settled || code === null || code === 0 || code > 128) return [];
      const lines = stderr.split("\n").filter((line) => line.trim() !== "");
      // Refused before a turn began: nothing on standard output, one line here.
      const said = lines.find((line) => refusalOf(line).kind !== "unknown") ?? lines.at(-1);
      return [{ type: "failure", failure: refusalOf(said ?? `exit code ${code}`) }];
    },
  };
}

function parse(text: string): Line | null {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function blocksOf(message: Line["message"]): readonly Block[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function questionOf({ id, name, input }: ToolUse): Question {
  return { id, kind: name === questionTool ? "question" : "permission", tool: name, input };
}

/** A denied tool is no error: the turn goes on without it. */
function denials({ permission_denials = [] }: Line): AgentEvent[] {
  return permission_denials.map(({ tool_name }) => ({
    type: "note",
    text: `${tool_name} was not allowed.`,
  }));
}

const notes: Readonly<Record<string, string>> = {
  api_retry: "The model's service failed; claude tries again.",
  compact_boundary: "Claude compacted the conversation.",
  session_writes_lost: "Claude could not save all of the session.",
};

function notesOf({ subtype = "" }: Line): AgentEvent[] {
  const text = Object.hasOwn(notes, subtype) ? notes[subtype] : undefined;
  return text ? [{ type: "note", text }] : [];
}

/** Of this process alone, subagents included; earlier versions have only the main conversation's. */
function usageOf({ model_usage_since_last_result: models, usage }: Line): Usage {
  if (models)
    return Object.values(models)
      .map((model) => ({
        cachedRead: model.cacheReadInputTokens ?? 0,
        cachedWrite: model.cacheCreationInputTokens ?? 0,
        uncached: model.inputTokens ?? 0,
        output: model.outputTokens ?? 0,
      }))
      .reduce(addUsage, noUsage);
  return {
    cachedRead: usage?.cache_read_input_tokens ?? 0,
    cachedWrite: usage?.cache_creation_input_tokens ?? 0,
    uncached: usage?.input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
  };
}
