/** What a failure of claude (2.1.325) means. Only texts of its failure channels come here, never an answer. */

import type { Failure } from "../provider.ts";

/** A turn that failed: the fields of its result line, and what was said about it before. */
export interface FailedResult {
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly terminal_reason?: string;
  readonly api_error_status?: number | null;
  readonly api_error?: string;
  /** From the line in place of the answer: `rate_limit`, `authentication_failed` … */
  readonly error?: string | undefined;
  /** When a limit is reset, in seconds. */
  readonly resetsAt?: number | undefined;
  /** Claude tried to compact the conversation in this turn, and could not. */
  readonly exhausted?: boolean;
}

/** The conversation no longer fits, or something in it is not taken; sending it again changes nothing. */
const spoilt = ["blocking_limit", "rapid_refill_breaker", "image_error"];

const loginHint =
  'Log in with "claude /login" in the agent\'s home, or set ANTHROPIC_API_KEY, then send again; the session is kept.';

/** A page of a proxy or a network's login instead of an answer; a refusal for what is asked. */
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
  // Nothing is wrong with the session: it continues once the credentials are right.
  if (error === "authentication_failed" || status === 401 || status === 403)
    return { kind: "login", message, hint: loginHint };
  if (status === 402) return { kind: "transient", message };
  // The request is the history and the prompt: a message of it that is not taken stays in it.
  const history =
    api_error === "tool_history_mismatch" || /^API Error: 400 messages\b/.test(message);
  if (status === 400 && history) return { kind: "poisoned", message };
  const refused = error === "model_not_found" || status === 404 || notTheSession.test(message);
  return { kind: refused ? "request" : "unknown", message };
}

/** What passes of the sentences that `/compact` has for a failure, behind "Error during compaction: ". */
const passing =
  /API Error: (Request rejected \(429\)|5\d\d\b|Connection )|Invalid API key|Failed to authenticate/;

/** Why a conversation was not compacted, by the one sentence that is said about it. */
export function compactionFailure(message: string): Failure {
  if (/below the context limit$/.test(message))
    return { kind: "poisoned", message, overflow: true };
  if (/API Error: 400 messages\b/.test(message)) return { kind: "poisoned", message };
  return { kind: passing.test(message) ? "transient" : "unknown", message };
}

/** A process that ended before a turn began, by what it said. */
export function refusalOf(message: string): Failure {
  // Without a marker nothing is parked in the session, so that an answer has nowhere to go.
  if (/^(Error: )?No (conversation found|deferred tool marker)/.test(message))
    return { kind: "missing", message };
  if (/Session ID \S+ is already in use/.test(message)) return { kind: "in-use", message };
  // 2.1.325 says "That session is running in the background (ID)", others "… as a background agent (bg)".
  if (/\bsession\b.* running (in the background|as a background agent)/i.test(message))
    return { kind: "writer", message };
  return { kind: "unknown", message };
}
