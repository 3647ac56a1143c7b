/** Parses the lines of `codex exec --json` (0.166). */

import type { Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "../files.ts";
import type { AgentEvent, Exit, Reader } from "../provider.ts";
import { failureOf, refusalOf } from "./failure.ts";

/** A running total of the thread; the input includes the cached part. */
export interface Totals {
  readonly input_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly cache_write_input_tokens?: number;
  readonly output_tokens?: number;
}

interface Line {
  readonly type?: string;
  readonly thread_id?: string;
  readonly item?: { readonly id: string; readonly type: string } & Record<string, unknown>;
  readonly usage?: Totals;
  readonly error?: { readonly message?: string };
  readonly message?: string;
}

/** Items that change nothing outside of the conversation; every other one counts as a tool. */
const words = ["agent_message", "reasoning", "todo_list", "error"];

export function reader(now: () => Date = () => new Date()): Reader {
  let answer = "";
  let settled = false;
  const tools = new Set<string>();

  const item = ({ id, type, ...rest }: NonNullable<Line["item"]>, whole: boolean): AgentEvent[] => {
    if (!words.includes(type)) {
      // Codex reports an item when it begins and when it ends; some only when they end.
      if (tools.has(id)) return [];
      tools.add(id);
      return [{ type: "tool", name: type }];
    }
    if (!whole) return [];
    if (type === "agent_message") {
      // The last message is the answer; those before it announce what the agent is about to do.
      answer = String(rest.text ?? "");
      return [{ type: "text", text: answer }];
    }
    // Turns that succeed may have error items too: a model without metadata, a changed model.
    return type === "error" ? [{ type: "note", text: String(rest.message ?? "") }] : [];
  };

  return {
    line(text) {
      const line = jsonLine(text) as Line | null;
      switch (line?.type) {
        case "thread.started":
          return line.thread_id ? [{ type: "session", id: line.thread_id }] : [];
        case "item.started":
        case "item.updated":
        case "item.completed":
          return line.item ? item(line.item, line.type === "item.completed") : [];
        case "turn.completed":
          settled = true;
          return [
            ...(line.usage ? [{ type: "usage", usage: usageOf(line.usage) } as const] : []),
            { type: "result", text: answer },
          ];
        case "turn.failed":
          settled = true;
          return [{ type: "failure", failure: failureOf(line.error?.message ?? "", now()) }];
        case "error":
          // Codex reconnects; the turn may still succeed.
          return [{ type: "note", text: line.message ?? "" }];
        default:
          return [];
      }
    },

    end({ code, stderr }: Exit) {
      // Zero, a signal or no code: the lines already reported everything.
      if (settled || code === null || code === 0 || code > 128) return [];
      const lines = stderr.split("\n").filter((line) => line.trim() !== "");
      // Successful turns print warnings on standard error too; a refusal is a line that starts with "Error: ".
      const refusal = lines.findLast((line) => line.startsWith("Error: "));
      const failure = refusal
        ? refusalOf(refusal.slice("Error: ".length))
        : { kind: "unknown" as const, message: lines.at(-1) ?? `exit code ${code}` };
      return [{ type: "failure", failure }];
    },
  };
}

export function usageOf(usage: Totals): Usage {
  const cachedRead = usage.cached_input_tokens ?? null;
  const cachedWrite = usage.cache_write_input_tokens ?? null;
  const input = usage.input_tokens ?? null;
  return {
    cachedRead,
    cachedWrite,
    uncached: input && Math.max(0, input - (cachedRead ?? 0) - (cachedWrite ?? 0)),
    output: usage.output_tokens ?? null,
  };
}
