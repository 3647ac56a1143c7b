/** Classifies a failure of pi (1.5). Only texts of its failure channels are passed here, never an answer. */

import type { Failure } from "../provider.ts";
import { howToLogIn } from "./account.ts";

const loginHint = `${howToLogIn} Then send again; the session is kept.`;

/** In order; the first match counts. */
const refusals: readonly [RegExp, Failure["kind"]][] = [
  [/^No session found matching '/, "missing"],
  [/^(Error: )?Session file is not a valid pi session/, "missing"],
  [/^(No API key found for |Authentication failed for "|No models? (available|selected))/, "login"],
  [/^Error: (Model "|Unknown provider|Unknown option|No models match)/, "request"],
  [/^Stored session working directory does not exist/, "request"],
];

/** Classifies a process that ended before a turn began, by its standard error. */
export function refusalOf(stderr: string, code: number): Failure {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  for (const [pattern, kind] of refusals) {
    const line = lines.find((each) => pattern.test(each));
    if (line !== undefined) return failure(kind, line.trim());
  }
  const error = lines.find((line) => line.startsWith("Error: ")) ?? lines.at(-1);
  return failure("unknown", error?.trim() ?? `exit code ${code}`);
}

/** Classifies a failed turn by the message of its last answer: `401: {"code":"…","message":"…"}`, or plain words. */
export function failureOf(said: string, now: Date): Failure {
  const [, digits] = /^(?:Error: )?(\d{3})\b/.exec(said) ?? [];
  const status = Number(digits);
  const { message, codes } = serviceError(said);
  const text = `${codes} ${message}`;
  if (overflow.test(text)) return { kind: "poisoned", message, overflow: true };
  if (spent.test(text)) return quota(message, now);
  if (status === 401 || status === 403 || login.test(text)) return failure("login", message);
  if (status === 429 || /rate.?limit|too many requests/i.test(text))
    return { kind: "transient", message, throttled: true };
  if (status >= 500 || passing.test(text)) return failure("transient", message);
  if (
    page.test(said) ||
    status === 404 ||
    /model_not_found|model.* (not found|does not exist)/i.test(text)
  )
    return failure("request", message);
  if (status === 400 && history.test(text)) return failure("poisoned", message);
  if (blocked.test(text)) return failure("request", message);
  return failure("unknown", message);
}

/** Classifies a compaction that failed. */
export function compactionFailure(said: string, now: Date): Failure {
  const message = said.replace(/^(Compaction failed|Summarization failed): /g, "");
  return { ...failureOf(message.replace(/^Summarization failed: /, ""), now), exhausted: true };
}

function failure(kind: Failure["kind"], message: string): Failure {
  return { kind, message, ...(kind === "login" && { hint: loginHint }) };
}

const overflow =
  /context_length_exceeded|maximum context length|context window|prompt is too long|input is too long|too many tokens|exceeds the (maximum|limit|available context)/i;

const spent =
  /insufficient_quota|exceeded your current quota|usage limit|out of credits|billing|quota exceeded/i;

const login =
  /invalid.?api.?key|incorrect api key|no api key|unauthorized|authentication|credential/i;

const passing =
  /overloaded|unavailable|connection error|fetch failed|terminated|socket|network|timed? ?out|ECONN|server_error|internal error|Stream ended without/i;

const page = /<!doctype html|<html\b/i;

/** A request contains the whole history, so what the service rejects in it would be rejected every time. */
const history =
  /messages|tool_?call|tool_?use|tool_?result|function_?call|content|signature|thinking|image/i;

const blocked = /safety|content.?(policy|filter)|refus|blocked|prohibited/i;

/** The service's own words in the JSON that follows the status, with its codes. */
function serviceError(said: string): { readonly message: string; readonly codes: string } {
  const start = said.indexOf("{");
  if (start === -1) return { message: said, codes: "" };
  try {
    const body = JSON.parse(said.slice(start));
    const error = body.error ?? body;
    const codes = [error.type, error.code, error.status, error.param].filter(Boolean).join(" ");
    return { message: String(error.message ?? said), codes };
  } catch {
    return { message: said, codes: "" };
  }
}

/** "Try again in ~35 min." */
function quota(message: string, now: Date): Failure {
  const [, minutes] = /again in ~?(\d+) min/i.exec(message) ?? [];
  const resetAt = minutes === undefined ? undefined : now.getTime() + Number(minutes) * 60_000;
  return { kind: "quota", message, ...(resetAt !== undefined && { resetAt }) };
}
