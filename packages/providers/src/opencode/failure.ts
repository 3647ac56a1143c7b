/** Classifies a failure of opencode (1.18). Only its failure channels are passed here, never an answer. */

import type { Failure } from "../provider.ts";
import { howToLogIn } from "./account.ts";

const loginHint = `${howToLogIn} Then send again; the session is kept.`;

/** The error of a line `error`. */
export interface AgentError {
  readonly name?: string;
  readonly data?: {
    readonly message?: string;
    readonly statusCode?: number;
    readonly responseBody?: string;
    readonly responseHeaders?: Readonly<Record<string, string>>;
  };
}

/** Classifies a process that ended before a turn began, by its standard error. */
export function refusalOf(stderr: string, code: number): Failure {
  const lines = plain(stderr)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const message = lines.at(-1) ?? `exit code ${code}`;
  const find = (pattern: RegExp) => lines.find((line) => pattern.test(line));
  const missing = find(/^Error: Session not found/);
  if (missing) return { kind: "missing", message: missing };
  const database = find(/database disk image is malformed|file is not a database/);
  if (database) return { kind: "missing", message: database };
  const unsent = find(/You must provide a message or a command/);
  if (unsent) return { kind: "unsent", message: unsent };
  const wrong = find(
    /ProviderModelNotFound|Model not found|Failed to change directory|ConfigInvalid/,
  );
  if (wrong) return { kind: "request", message: wrong };
  return { kind: "unknown", message };
}

/** Opencode colours what it says. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of a terminal begin with one
  return text.replace(/\u001b\[[\d;]*m/g, "");
}

/** Classifies the error that ended a turn. */
export function failureOf({ name = "", data = {} }: AgentError, now: Date): Failure {
  const { message = name || "opencode gave no reason", statusCode: status = 0 } = data;
  const body = `${message}\n${data.responseBody ?? ""}`;
  if (name === "ContextOverflowError" || tooLong.test(body))
    return { kind: "poisoned", message, overflow: true };
  if (name === "MessageAbortedError") return { kind: "transient", message };
  if (name === "ProviderAuthError" || status === 401 || status === 403) return login(message);
  if (name === "ProviderModelNotFoundError" || /model not found/i.test(message))
    return { kind: "request", message };
  if (used.test(body)) return { kind: "quota", message, ...resetOf(data, now) };
  if (status === 429 || /rate.?limit|too many requests/i.test(message))
    return { kind: "transient", message, throttled: true };
  if (status >= 500 || passing.test(message)) return { kind: "transient", message };
  if (status === 404 || page.test(body)) return { kind: "request", message };
  if (status === 400 && history.test(body)) return { kind: "poisoned", message };
  if (/api key|credential|unauthori[sz]ed|not logged in/i.test(message)) return login(message);
  return { kind: "unknown", message };
}

function login(message: string): Failure {
  return { kind: "login", message, hint: loginHint };
}

const tooLong =
  /context_length_exceeded|maximum context length|prompt is too long|exceeds the context/i;
const used =
  /insufficient_quota|exceeded your current quota|UsageLimitError|usage limit|out of credits|quota exceeded/i;
const passing =
  /overloaded|unavailable|fetch failed|terminated|ECONN|ETIMEDOUT|socket|network|timed? ?out|server error|unable to connect|connection (reset|closed|refused)|aborted/i;
const page = /<!doctype html|<html\b/i;

/** A request contains the whole history, so what the service rejects in it would be rejected every time. */
const history =
  /messages?[.[]|"messages"|tool_call|tool_use|tool_result|thinking|signature|image|content/i;

/** When the limit ends, where the service names it. */
function resetOf({ responseHeaders = {} }: NonNullable<AgentError["data"]>, now: Date) {
  const after = responseHeaders["retry-after"];
  if (after === undefined) return {};
  const at = /^\d+(\.\d+)?$/.test(after) ? now.getTime() + Number(after) * 1000 : Date.parse(after);
  return Number.isNaN(at) ? {} : { resetAt: at };
}
