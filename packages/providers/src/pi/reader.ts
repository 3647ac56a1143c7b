/** Parses the lines of `pi --mode json` (1.5). */

import { addUsage, type Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { AgentEvent, Exit, Failure, Reader } from "../provider.ts";
import { compactionFailure, failureOf, refusalOf } from "./failure.ts";
import { denialMark } from "./rules.ts";

interface Block {
  readonly type?: string;
  readonly text?: string;
}

interface Tokens {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

interface Line {
  readonly type?: string;
  /** The session's id, in the first line. */
  readonly id?: string;
  readonly message?: {
    readonly role?: string;
    readonly content?: readonly Block[];
    readonly provider?: string;
    readonly model?: string;
    readonly usage?: Tokens;
    readonly stopReason?: string;
    readonly errorMessage?: string;
  };
  readonly assistantMessageEvent?: { readonly type?: string; readonly delta?: string };
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly result?: { readonly content?: readonly Block[]; readonly usage?: Tokens };
  readonly aborted?: boolean;
  /** Why it compacted: `manual`, `threshold` or `overflow`. */
  readonly reason?: string;
  readonly errorMessage?: string;
}

export function reader(now: () => Date = () => new Date()): Reader {
  let last: NonNullable<Line["message"]> | null = null;
  let usage: Usage | null = null;
  let settled = false;
  /** Pi found the session among those of another folder. */
  let elsewhere = false;
  /** It tried to compact the history in this launch and failed. */
  let exhausted = false;
  const open = new Map<string, Line>();

  const count = (tokens: Tokens | undefined) => {
    if (tokens) usage = usage ? addUsage(usage, usageOf(tokens)) : usageOf(tokens);
  };

  const assistant = (message: NonNullable<Line["message"]>): AgentEvent[] => {
    const isFirst = last?.model === undefined;
    last = message;
    count(message.usage);
    const { provider, model } = message;
    return isFirst && provider && model ? [{ type: "model", name: `${provider}/${model}` }] : [];
  };

  const ended = (...events: AgentEvent[]): AgentEvent[] => {
    settled = true;
    return [...(usage ? [{ type: "usage", usage } as const] : []), ...events];
  };

  const turnEnded = ({ aborted }: Line): AgentEvent[] => {
    if (aborted) return ended();
    const { stopReason, errorMessage, content = [] } = last ?? {};
    if (stopReason === "error" || stopReason === "aborted") {
      const failure = failureOf(errorMessage ?? "pi gave no reason", now());
      return ended(failed({ ...failure, ...(exhausted && failure.overflow && { exhausted }) }));
    }
    const cut = stopReason === "length";
    return ended(...(cut ? [{ type: "note", text: cutOff } as const] : []), {
      type: "result",
      text: textIn(content),
    });
  };

  const compacted = ({ reason, result, errorMessage }: Line): AgentEvent[] => {
    count(result?.usage);
    exhausted = result === undefined;
    // Pi also compacts by itself, within a turn.
    if (reason !== "manual")
      return result ? [{ type: "note", text: "pi compacted the conversation." }] : [];
    if (result) return ended({ type: "result", text: "" });
    return ended(failed(compactionFailure(errorMessage ?? "pi gave no reason", now())));
  };

  return {
    line(text) {
      const line = jsonLine(text) as Line | null;
      if (text.startsWith("Session found in different project")) elsewhere = true;
      switch (line?.type) {
        case "session":
          return line.id ? [{ type: "session", id: line.id }] : [];
        case "message_update": {
          const { type, delta } = line.assistantMessageEvent ?? {};
          return type === "text_delta" && delta ? [{ type: "text", text: delta }] : [];
        }
        case "message_end":
          return line.message?.role === "assistant" ? assistant(line.message) : [];
        case "tool_execution_start":
          if (line.toolCallId) open.set(line.toolCallId, line);
          return [{ type: "tool", name: line.toolName ?? "tool" }];
        case "tool_execution_end":
          return denied(line, open.get(line.toolCallId ?? ""));
        case "compaction_end":
          return compacted(line);
        case "agent_settled":
          return turnEnded(line);
        default:
          return [];
      }
    },

    end({ code, stderr }: Exit) {
      // A signal or no code: the process was interrupted.
      if (settled || code === null || code > 128) return [];
      if (elsewhere)
        return [failed({ kind: "missing", message: "The session belongs to another folder." })];
      if (code === 0)
        return [failed({ kind: "transient", message: "pi was stopped before it answered" })];
      return [failed(refusalOf(stderr, code))];
    },
  };
}

const cutOff = "The answer was cut off: the model reached its limit of output tokens.";

function failed(failure: Failure): AgentEvent {
  return { type: "failure", failure };
}

/** Pi's tools that change something: one that it does not find was taken away by the access. */
const ownTools = /^(bash|powershell|edit|write)$/;

function denied({ isError, result, toolCallId: id }: Line, call: Line | undefined): AgentEvent[] {
  if (!isError || call === undefined) return [];
  const { toolName: tool = "tool", args = {} } = call;
  const said = textIn(result?.content ?? []);
  const isDenied =
    said.startsWith(denialMark) || (said === `Tool ${tool} not found` && ownTools.test(tool));
  if (!isDenied) return [];
  return [{ type: "denied", tool, detail: detailOf(args), ...(id !== undefined && { id }) }];
}

/** The part of a tool's input that identifies the call to a person. */
function detailOf({ command, path, pattern }: Readonly<Record<string, unknown>>): string | null {
  const said = command ?? path ?? pattern;
  return typeof said === "string" ? said : null;
}

function textIn(content: readonly Block[]): string {
  return content.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join("");
}

function usageOf({ input, output, cacheRead, cacheWrite }: Tokens): Usage {
  return {
    cachedRead: cacheRead ?? null,
    cachedWrite: cacheWrite ?? null,
    uncached: input ?? null,
    output: output ?? null,
  };
}
