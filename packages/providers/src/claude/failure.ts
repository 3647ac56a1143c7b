/** Classifies a failure of claude (2.1.325). Only texts of its failure channels are passed here, never an answer. */

import type { Failure } from "../provider.ts";
import { howToLogIn } from "./account.ts";

/** A turn that failed: the fields of its result line, and of earlier lines about the failure. */
export interface FailedResult {
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly terminal_reason?: string;
  readonly api_error_status?: number | null;
  readonly api_error?: string;
  /** From the line that claude prints instead of an answer: `rate_limit`, `authentication_failed` … */
  readonly error?: string | undefined;
  /** When a limit is reset, in seconds. */
  readonly resetsAt?: number | undefined;
  /** Claude failed to compact the conversation in this turn. */
  readonly exhausted?: boolean;
}

/** The conversation no longer fits, or the service rejects something in it; sending it again does not help. */
const spoilt = ["blocking_limit", "rapid_refill_breaker", "image_error"];

const loginHint = `${howToLogIn} Then send again; the session is kept.`;

/** A proxy's or network's login page instead of an answer, or a refusal because of the prompt's content. */
const notTheSession =
  /malformed response|is an HTML page|<!doctype html|<html\b|violat\w+ (our|the) usage polic|usage policy/i;

export function failureOf(failed: FailedResult): Failure {
  const { errors = [], error, api_error, resetsAt, terminal_reason = "" } = failed;
  const message = failed.result || errors.join(" ") || terminal_reason || "no reason was given";
  const status = failed.api_error_status ?? 0;

  if (errors.length > 0) return refusalOf(message);
  if (terminal_reason === "prompt_too_long")
    return {
      kind: "poisoned",
      message,
      overflow: true,
      ...(failed.exhausted && { exhausted: true }),
    };
  if (spoilt.includes(terminal_reason)) return { kind: "poisoned", message };
  if (api_error === "usage_limit_reached" || error === "billing_error")
    return {
      kind: "quota",
      message,
      ...(resetsAt !== undefined && { resetAt: resetsAt * 1000 }),
    };
  if (status === 429) return { kind: "transient", message, throttled: true };
  if (api_error === "connection_failed" || status >= 500) return { kind: "transient", message };
  // The session is intact and continues once the credentials are right.
  if (error === "authentication_failed" || status === 401 || status === 403)
    return { kind: "login", message, hint: loginHint };
  if (status === 402) return { kind: "transient", message };
  // A request contains the whole history, so a message that the service rejects would be rejected every time.
  const history =
    api_error === "tool_history_mismatch" || /^API Error: 400 messages\b/.test(message);
  if (status === 400 && history) return { kind: "poisoned", message };
  const refused = error === "model_not_found" || status === 404 || notTheSession.test(message);
  return { kind: refused ? "request" : "unknown", message };
}

/** The temporary ones among the failures that `/compact` reports after "Error during compaction: ". */
const passing =
  /API Error: (Request rejected \(429\)|5\d\d\b|Connection )|Invalid API key|Failed to authenticate/;

/** Classifies a failed compaction by the sentence that claude reports. */
export function compactionFailure(message: string): Failure {
  if (/below the context limit$/.test(message))
    return { kind: "poisoned", message, overflow: true };
  if (/API Error: 400 messages\b/.test(message)) return { kind: "poisoned", message };
  return { kind: passing.test(message) ? "transient" : "unknown", message };
}

/** Classifies the message of a process that ended before a turn began. */
export function refusalOf(message: string): Failure {
  // Without a marker no call is deferred in the session, so there is nothing to answer.
  if (/^(Error: )?No (conversation found|deferred tool marker)/.test(message))
    return { kind: "missing", message };
  if (/Session ID \S+ is already in use/.test(message)) return { kind: "in-use", message };
  // 2.1.325 says "That session is running in the background (ID)", others "… as a background agent (bg)".
  if (/\bsession\b.* running (in the background|as a background agent)/i.test(message))
    return { kind: "writer", message };
  return { kind: "unknown", message };
}
