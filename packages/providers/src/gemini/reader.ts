/** Parses the lines of `gemini --output-format=stream-json` (0.61). */

import type { Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { AgentEvent, Exit, Reader } from "../provider.ts";
import { failureOf, refusalOf } from "./failure.ts";

interface Line {
  readonly type?: string;
  readonly session_id?: string;
  readonly model?: string;
  readonly role?: string;
  readonly content?: string;
  readonly tool_name?: string;
  readonly tool_id?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly status?: string;
  readonly severity?: string;
  readonly message?: string;
  readonly error?: { readonly type?: string; readonly message?: string };
  readonly stats?: Stats;
}

/** The tokens of this process alone; `input_tokens` includes the cached ones, `input` does not. */
interface Stats {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly cached?: number;
  readonly input?: number;
}

/** A model that is chosen by another one for each request. */
const automatic = "auto";

export function reader(now: () => Date = () => new Date()): Reader {
  let answer = "";
  let settled = false;
  /** Errors that gemini reports before a result. */
  const errors: string[] = [];
  const open = new Map<string, Line>();

  const ended = ({ status, error, stats }: Line): AgentEvent[] => {
    settled = true;
    const usage: AgentEvent[] = stats ? [{ type: "usage", usage: usageOf(stats) }] : [];
    const said = error?.message ?? errors.at(-1);
    // Gemini calls an answer without text an error; Reprise has its own words for it.
    if (said !== undefined && emptyAnswer.test(said))
      return [...usage, { type: "result", text: "" }];
    if (said !== undefined) return [...usage, failed(failureOf(said, now()))];
    if (status === "success") return [...usage, { type: "result", text: answer }];
    return [...usage, failed({ kind: "unknown", message: "Gemini gave no reason." })];
  };

  return {
    line(text) {
      const line = jsonLine(text) as Line | null;
      switch (line?.type) {
        case "init":
          return [
            ...(line.session_id ? [{ type: "session", id: line.session_id } as const] : []),
            ...(line.model && line.model !== automatic
              ? [{ type: "model", name: line.model } as const]
              : []),
          ];
        case "message":
          if (line.role !== "assistant" || !line.content) return [];
          answer += line.content;
          return [{ type: "text", text: line.content }];
        case "tool_use":
          // What is said before a tool announces what the agent is about to do; the rest is the answer.
          answer = "";
          if (line.tool_id) open.set(line.tool_id, line);
          return [{ type: "tool", name: line.tool_name ?? "tool" }];
        case "tool_result":
          return denied(line, open.get(line.tool_id ?? ""));
        case "error":
          errors.push(line.message ?? "");
          return [];
        case "result":
          return ended(line);
        default:
          return [];
      }
    },

    end({ code, stderr }: Exit) {
      // A signal or no code: the process was interrupted.
      if (settled || code === null || code > 128) return [];
      // Gemini ends with 0 when it gets a signal, too; only a result line is a result.
      if (code === 0)
        return [failed({ kind: "transient", message: "gemini was stopped before it answered" })];
      return [failed(refusalOf(stderr, code))];
    },
  };
}

const emptyAnswer = /^The model returned an empty response\b/;

function failed(failure: Extract<AgentEvent, { type: "failure" }>["failure"]): AgentEvent {
  return { type: "failure", failure };
}

/** Gemini's own tools: one of them that it does not find was taken away by the access. */
const ownTools =
  /^(run_shell_command|write_file|replace|save_memory|web_fetch|(enter|exit)_plan_mode|mcp_.*)$/;

function denied({ status, error, tool_id: id }: Line, call: Line | undefined): AgentEvent[] {
  if (status !== "error" || call === undefined) return [];
  const { tool_name: tool = "tool", parameters = {} } = call;
  const isDenied =
    error?.type === "policy_violation" ||
    (error?.type === "tool_not_registered" && ownTools.test(tool)) ||
    /^Path not in workspace:/.test(error?.message ?? "");
  if (!isDenied) return [];
  return [{ type: "denied", tool, detail: detailOf(parameters), ...(id !== undefined && { id }) }];
}

/** The part of a tool's input that identifies the call to a person. */
function detailOf({ command, file_path, dir_path, path, pattern, url }: Record<string, unknown>) {
  const said = command ?? file_path ?? dir_path ?? path ?? url ?? pattern;
  return typeof said === "string" ? said : null;
}

function usageOf({ input_tokens: all, output_tokens, cached, input, total_tokens }: Stats): Usage {
  // Thinking is part of the total alone.
  const output = total_tokens !== undefined && all !== undefined ? total_tokens - all : undefined;
  return {
    cachedRead: cached ?? null,
    cachedWrite: null,
    uncached: input ?? (all === undefined ? null : all - (cached ?? 0)),
    output: output ?? output_tokens ?? null,
  };
}
