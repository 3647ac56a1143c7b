/**
 * Parses the scripted agent's output. Failures are recognised by structured errors and, without a result, by the last
 * line on standard error; never by the text of an answer, which may quote anything.
 */

import { failureKinds } from "@reprise/core/session/failure";
import type { Question } from "@reprise/core/session/question";
import type { Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { AgentEvent, Exit, Failure, Reader } from "../provider.ts";
import type { Item } from "./files.ts";

type Fields = Readonly<Record<string, unknown>>;

const kinds: readonly unknown[] = failureKinds;

const complaints: readonly (readonly [RegExp, Failure["kind"]])[] = [
  [/^No session found with id /, "missing"],
  [/^Session id .+ is already in use$/, "in-use"],
];

export class ScriptedReader implements Reader {
  #ended = false;
  /** A tool ran or tokens were used. */
  #worked = false;

  line(line: string): AgentEvent[] {
    const fields = jsonLine(line);
    // Events that an agent repeats when it loads a session belong to earlier turns.
    if (fields === null || fields.replay === true || this.#ended) return [];
    switch (fields.type) {
      case "session":
        return typeof fields.id === "string"
          ? [{ type: "session", id: fields.id }, ...versionOf(fields)]
          : [];
      case "text":
        return [{ type: "text", text: string(fields.text) }];
      case "tool":
        this.#worked = true;
        return [{ type: "tool", name: string(fields.name) }];
      case "denied":
        return [{ type: "denied", tool: string(fields.tool), detail: string(fields.detail) }];
      case "usage": {
        const usage = usageOf(fields);
        if (Object.values(usage).some((tokens) => tokens > 0)) this.#worked = true;
        return [{ type: "usage", usage }];
      }
      case "asked": {
        this.#ended = true;
        return [{ type: "asked", question: questionOf(fields), lost: [] }];
      }
      case "result":
        this.#ended = true;
        return [this.#result(fields)];
      default:
        return [];
    }
  }

  end({ code, stderr }: Exit): AgentEvent[] {
    // 128 + signal, or nothing recorded: it was interrupted, which is not a failure of the agent.
    if (this.#ended || code === null || code === 0 || code > 128) return [];
    const message = stderr.trimEnd().split("\n").at(-1) ?? "";
    const [, kind] = complaints.find(([pattern]) => pattern.test(message)) ?? [null, "unknown"];
    return [failure({ kind, message: message || `It ended with code ${code}` })];
  }

  #result(fields: Fields): AgentEvent {
    const text = string(fields.text);
    if (fields.ok !== true) return failure(classify(isFields(fields.error) ? fields.error : {}));
    if (fields.stop === "overflow")
      return failure({ kind: "poisoned", message: text, overflow: true });
    // A refusal reported as success: it has a text, but no model was used.
    if (!this.#worked) return failure({ kind: "missing", message: text });
    return { type: "result", text };
  }
}

function classify({ kind, status, message, resetAt }: Fields): Failure {
  const reset = typeof resetAt === "number" ? { resetAt } : {};
  const known = kinds.includes(kind) ? (kind as Failure["kind"]) : kindOf(status, resetAt);
  const throttled = known === "transient" && status === 429;
  return { kind: known, message: string(message), ...reset, ...(throttled && { throttled }) };
}

function kindOf(status: unknown, resetAt: unknown): Failure["kind"] {
  if (typeof resetAt === "number") return "quota";
  const passes = typeof status === "number" && (status === 408 || status === 429 || status >= 500);
  return passes ? "transient" : "unknown";
}

function versionOf({ version }: Fields): AgentEvent[] {
  return typeof version === "string" ? [{ type: "version", version }] : [];
}

function questionOf({ id, text, permission, questions }: Fields): Question {
  const asked = string(text);
  return permission === true
    ? { id: string(id), kind: "permission", tool: "shell", input: { command: asked } }
    : {
        id: string(id),
        kind: "question",
        tool: "ask",
        input: { questions: Array.isArray(questions) ? questions : [{ question: asked }] },
      };
}

function failure(failure: Failure): AgentEvent {
  return { type: "failure", failure };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function usageOf(fields: Fields): Usage {
  const tokens = (value: unknown) => (typeof value === "number" ? value : 0);
  return {
    cachedRead: tokens(fields.cachedRead),
    cachedWrite: tokens(fields.cachedWrite),
    uncached: tokens(fields.uncached),
    output: tokens(fields.output),
  };
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// The scripted agent's simulated tokens: four characters each.

/**
 * The running total over a session: every prompt is uncached once, and everything before it is read
 * from the cache. It follows from the items alone, so a session that was put back counts the same.
 */
export function totalUsage(items: readonly Item[]): Usage {
  let seen = 0;
  let cachedRead = 0;
  let uncached = 0;
  let output = 0;
  for (const { role, text } of items) {
    const tokens = tokensOf(text);
    if (role === "user") {
      cachedRead += seen;
      uncached += tokens;
    } else if (role !== "summary") output += tokens;
    seen += tokens;
  }
  return { cachedRead, cachedWrite: 0, uncached, output };
}

/** The same for a compaction: the whole history is input again, and the summary is output. */
export function compactionUsage(history: readonly Item[], summary: Item): Usage {
  const total = totalUsage(history);
  const read = history.reduce((sum, { text }) => sum + tokensOf(text), 0);
  return {
    ...total,
    cachedRead: (total.cachedRead ?? 0) + read,
    output: (total.output ?? 0) + tokensOf(summary.text),
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
