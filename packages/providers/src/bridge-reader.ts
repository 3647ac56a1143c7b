/** Parses the lines of a bridge that prints events as they are, and has classified every failure already. */

import { failureKinds } from "@reprise/core/session/failure";
import type { Usage } from "@reprise/core/usage/usage";
import { jsonLine } from "./files.ts";
import type { AgentEvent, Exit, Failure, Reader } from "./provider.ts";

type Line = Readonly<Record<string, unknown>>;

export function reader(): Reader {
  let settled = false;
  return {
    line(text) {
      const line = jsonLine(text);
      const event = line && eventOf(line);
      if (!event || settled) return [];
      settled = event.type === "result" || event.type === "failure";
      return [event];
    },

    end({ code, stderr }: Exit) {
      // Zero, a signal or no code: the lines already reported everything.
      if (settled || code === null || code === 0 || code > 128) return [];
      const message = stderr.trim().split("\n").at(-1) || `exit code ${code}`;
      return [{ type: "failure", failure: { kind: "unknown", message } }];
    },
  };
}

function eventOf(line: Line): AgentEvent | null {
  switch (line.type) {
    case "session":
      return typeof line.id === "string" ? { type: "session", id: line.id } : null;
    case "model":
    case "tool":
      return { type: line.type, name: String(line.name) };
    case "version":
      return { type: "version", version: String(line.version) };
    case "text":
    case "note":
    case "result":
      return { type: line.type, text: String(line.text) };
    case "denied":
      return {
        type: "denied",
        tool: String(line.tool),
        detail: typeof line.detail === "string" ? line.detail : null,
        id: String(line.id),
      };
    case "usage":
      return { type: "usage", usage: usageOf(line.usage) };
    case "failure":
      return isFailure(line.failure) ? { type: "failure", failure: line.failure } : null;
    default:
      return null;
  }
}

function usageOf(usage: unknown): Usage {
  const given = (usage ?? {}) as Line;
  const tokens = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    cachedRead: tokens(given.cachedRead),
    cachedWrite: tokens(given.cachedWrite),
    uncached: tokens(given.uncached),
    output: tokens(given.output),
  };
}

const kinds: readonly unknown[] = failureKinds;

function isFailure(value: unknown): value is Failure {
  const { kind, message } = (value ?? {}) as Partial<Failure>;
  return kinds.includes(kind) && typeof message === "string";
}
