/** Classifies a failure of codex (0.166). Only texts of its failure channels are passed here, never an answer. */

import type { Failure } from "../provider.ts";
import { howToLogIn } from "./account.ts";

/**
 * Classifies a process that ended without a turn, by the `Error:` line on its standard error. Whatever is wrong with a
 * thread (no rollout, unreadable, archived, its model provider removed, a damaged index), codex refuses it while a new
 * thread works.
 */
export function refusalOf(line: string): Failure {
  if (/already has an active writer/.test(line)) return { kind: "writer", message: line };
  const refused =
    /thread\/(resume|fork) failed|no rollout found|is archived|modelProviderNotConfigured/;
  return { kind: refused.test(line) ? "missing" : "unknown", message: line };
}

/** In order; the first match counts. */
const messages: readonly [RegExp, Failure["kind"]][] = [
  [/usage limit|^Quota exceeded|ChatGPT plan, upgrade/, "quota"],
  [/^Image poisoning$/, "poisoned"],
  // A proxy's or network's login page instead of an answer, whatever its status.
  [/<!doctype html|<html\b/i, "request"],
  [/\bmodel\b.*(does not exist|is not supported|not found)|unexpected status 404\b/i, "request"],
  [/flagged as potentially violating|usage policy/i, "request"],
  [/\b429 Too Many|^rate limit|at capacity|high demand|status:? 5\d\d\b/, "transient"],
  [/^stream disconnected|^Connection failed|error sending request|timed out/, "transient"],
  // The session is intact and continues once the credentials are right.
  [
    /status 40[13]\b|^Missing environment variable|refresh token|log in again|not logged in/i,
    "login",
  ],
  [/status 402\b/, "transient"],
];

/** Classifies a failed turn by its message; for an HTTP 400 that is the JSON body. */
export function failureOf(message: string, now: Date): Failure {
  const invalid = invalidRequest(message);
  if (invalid) {
    const text = [invalid.message, invalid.code && `(${invalid.code})`].filter(Boolean).join(" ");
    const kind = blamesHistory(invalid) ? "poisoned" : (kindOf(text) ?? "unknown");
    return { kind, message: text || message, ...(isTooLong(text) && { overflow: true }) };
  }
  if (isTooLong(message)) return { kind: "poisoned", message, overflow: true };
  const kind = kindOf(message) ?? "unknown";
  const resetAt = kind === "quota" ? resetTime(message, now) : undefined;
  const throttled = kind === "transient" && /\b429 Too Many|^rate limit/.test(message);
  return {
    kind,
    message,
    ...(resetAt !== undefined && { resetAt }),
    ...(throttled && { throttled }),
    ...(kind === "login" && { hint: loginHint }),
  };
}

const aMinute = 60_000;

const loginHint = `${howToLogIn} Then send again; the session is kept.`;

function kindOf(message: string): Failure["kind"] | undefined {
  return messages.find(([pattern]) => pattern.test(message))?.[1];
}

function isTooLong(message: string): boolean {
  return /ran out of room in the model's context window|context_length_exceeded/.test(message);
}

interface InvalidRequest {
  readonly code?: unknown;
  readonly param?: unknown;
  readonly message?: unknown;
}

function invalidRequest(message: string): InvalidRequest | null {
  if (!message.startsWith("{")) return null;
  try {
    return JSON.parse(message).error ?? null;
  } catch {
    return null;
  }
}

/** A request contains the whole history, so an item that the service rejects would be rejected every time. */
function blamesHistory({ code, param, message }: InvalidRequest): boolean {
  return (
    code === "context_length_exceeded" ||
    code === "invalid_encrypted_content" ||
    /^input\b/.test(String(param ?? "")) ||
    /No tool (output|call) found|without its required|context window|context length/.test(
      String(message ?? ""),
    )
  );
}

/**
 * "try again at Nov 16th, 2026 3:35 PM" or, on the same day, "try again at 3:35 PM"; local time. Codex leaves out the
 * seconds, so the reset may come up to a minute later.
 */
function resetTime(message: string, now: Date): number | undefined {
  const said = /try again at (?:(\w{3}) (\d+)(?:st|nd|rd|th), (\d{4}) )?(\d+:\d\d [AP]M)/i.exec(
    message,
  );
  if (!said) return undefined;
  const [, month, day, year, time] = said;
  const date = month ? `${month} ${day}, ${year}` : now.toDateString();
  const at = Date.parse(`${date} ${time}`);
  return Number.isNaN(at) ? undefined : at + aMinute;
}
