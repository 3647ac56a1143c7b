/** Parses the lines of `opencode run --format json` (1.18). */

import type { Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { AgentEvent, Exit, Reader } from "../provider.ts";
import { type AgentError, failureOf, refusalOf } from "./failure.ts";
import { refusal } from "./shell.ts";

interface Line {
  readonly type?: string;
  readonly sessionID?: string;
  readonly part?: Part;
  readonly error?: AgentError;
}

interface Part {
  readonly text?: string;
  readonly tool?: string;
  readonly callID?: string;
  readonly reason?: string;
  readonly tokens?: Tokens;
  readonly state?: {
    readonly status?: string;
    readonly input?: Readonly<Record<string, unknown>>;
    readonly output?: string;
    readonly error?: string;
  };
}

/** Those of one step; `input` is without the cached ones. */
interface Tokens {
  readonly input?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly cache?: { readonly read?: number; readonly write?: number };
}

export function reader(now: () => Date = () => new Date()): Reader {
  let answer = "";
  /** Why the last step ended. */
  let reason: string | undefined;
  let session: string | undefined;
  let error: AgentError | undefined;
  let errors = 0;
  let usage: Usage | undefined;

  const events = ({ type, part = {}, error: said }: Line): AgentEvent[] => {
    switch (type) {
      case "step_start":
        // The answer is what the last step says; one after an error means that opencode continued after a compaction.
        answer = "";
        reason = undefined;
        error = undefined;
        return [];
      case "text":
        answer += part.text ?? "";
        return part.text ? [{ type: "text", text: part.text }] : [];
      case "tool_use":
        return [{ type: "tool", name: part.tool ?? "tool" }, ...denied(part)];
      case "step_finish":
        reason = part.reason;
        usage = sumOf(usage, part.tokens);
        return [];
      case "error":
        errors += 1;
        error ??= said ?? {};
        return [];
      default:
        return [];
    }
  };

  return {
    line(text) {
      const line = jsonLine(text) as Line | null;
      if (line === null) return [];
      const id = typeof line.sessionID === "string" ? line.sessionID : undefined;
      const named: AgentEvent[] =
        id !== undefined && id !== session ? [{ type: "session", id }] : [];
      session = id ?? session;
      return [...named, ...events(line)];
    },

    end({ code, stderr }: Exit) {
      const used: AgentEvent[] = usage ? [{ type: "usage", usage }] : [];
      // A signal or no code: the process was interrupted, unless its last step had ended.
      if (code === null || code > 128)
        return isFinal(reason) && !error ? [...used, verdict(reason, answer)] : used;
      if (error) {
        const failure = failureOf(error, now());
        // The second error is that of the compaction that opencode tried.
        const exhausted = failure.overflow === true && errors > 1;
        return [
          ...used,
          { type: "failure", failure: { ...failure, ...(exhausted && { exhausted }) } },
        ];
      }
      if (code !== 0 && reason === undefined)
        return [...used, { type: "failure", failure: refusalOf(stderr, code) }];
      return [...used, verdict(reason, answer)];
    },
  };
}

function isFinal(reason: string | undefined): boolean {
  return reason === "stop" || reason === "length" || reason === "unknown";
}

/** Opencode exits with 0 also when it gave up after a tool, or said nothing at all. */
function verdict(reason: string | undefined, answer: string): AgentEvent {
  if (isFinal(reason)) return { type: "result", text: answer };
  if (reason === "content-filter")
    return {
      type: "failure",
      failure: { kind: "request", message: "The service blocked the answer." },
    };
  const message =
    reason === undefined
      ? "opencode ended without an answer"
      : `opencode ended after a step with the reason "${reason}"`;
  return { type: "failure", failure: { kind: "transient", message } };
}

const rule = /^The user (has specified a rule which prevents|rejected permission to use)/;
/** A tool that no rule allows is not offered. */
const absent = /^Model tried to call unavailable tool/;

function denied({ tool = "tool", callID: id, state = {} }: Part): AgentEvent[] {
  const { status, error = "", output = "", input = {} } = state;
  const isDenied =
    status === "error" ? rule.test(error) || absent.test(error) : output.startsWith(refusal);
  if (!isDenied) return [];
  return [{ type: "denied", tool, detail: detailOf(input), ...(id !== undefined && { id }) }];
}

/** The part of a tool's input that identifies the call to a person. */
function detailOf({ command, filePath, path, pattern, url }: Record<string, unknown>) {
  const said = command ?? filePath ?? path ?? url ?? pattern;
  return typeof said === "string" ? said : null;
}

function sumOf(before: Usage | undefined, { input, output, reasoning, cache }: Tokens = {}): Usage {
  const add = (sum: number | null | undefined, value: number | undefined) =>
    value === undefined ? (sum ?? null) : (sum ?? 0) + value;
  return {
    cachedRead: add(before?.cachedRead, cache?.read),
    cachedWrite: add(before?.cachedWrite, cache?.write),
    uncached: add(before?.uncached, input),
    // Thinking is counted beside the output.
    output: add(before?.output, output === undefined ? undefined : output + (reasoning ?? 0)),
  };
}
