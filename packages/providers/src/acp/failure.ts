/** Classifies the errors of an agent that speaks the Agent Client Protocol, by their codes, then by what they say. */

import type { Failure } from "../provider.ts";
import { AgentEnded } from "./agent-process.ts";
import { methodNotFound, RpcError } from "./connection.ts";

/** Reported as it is. */
export class TurnFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

const authRequired = -32000;
const notFound = -32002;
const invalidParams = -32602;

/** `continue`: a session is loaded or resumed. `new`: one is created. */
export type Step = "start" | "new" | "continue" | "choose" | "prompt";

/** `logins` are the ways of the agent to log in, as it names them. */
export function failureOf(
  error: unknown,
  step: Step,
  logins: readonly string[],
  now: number,
): Failure {
  if (error instanceof TurnFailure) return error.failure;
  if (error instanceof AgentEnded)
    return { kind: error.signal ? "transient" : "unknown", message: error.message };
  if (!(error instanceof RpcError)) throw error;
  const said = textOf(error);
  const message = `${said} (${error.code})`;
  if (error.code === authRequired) return { kind: "login", message, hint: loginHint(logins) };
  // Agents report an unknown session as not found (-32002), as an internal error (-32603), or in another way.
  if (step === "continue") return { kind: "missing", message };
  if (error.code === notFound && step === "prompt") return { kind: "missing", message };
  if (error.code === invalidParams && /session not found|unknown session/i.test(said))
    return { kind: "missing", message };
  if (step === "choose" || error.code === methodNotFound) return { kind: "request", message };
  return { ...byText(error.code, said, logins, now), message };
}

function loginHint(logins: readonly string[]): string {
  const ways = logins.length === 0 ? "" : ` (it offers: ${logins.join(", ")})`;
  return `Log in with the agent's own program${ways}, or name a way that needs no person with the setting login, then send again; the session is kept.`;
}

type Kind = Omit<Failure, "message">;

/** Agents give the errors of their services in their own words, most with the status in them. */
function byText(code: number, said: string, logins: readonly string[], now: number): Kind {
  const status = code >= 400 && code < 600 ? code : statusIn(said);
  const is = (pattern: RegExp) => pattern.test(said);
  if (is(tooLong)) return { kind: "poisoned", overflow: true };
  if (is(usedUp) || status === 402) {
    const wait = waitIn(said);
    return { kind: "quota", ...(wait !== null && { resetAt: now + wait }) };
  }
  if (status === 429 || is(/rate.?limit|too many requests|resource (has been )?exhausted/i))
    return { kind: "transient", throttled: true };
  if (status === 401 || status === 403 || is(/not logged in|log ?in again|authenticat|api key/i))
    return { kind: "login", hint: loginHint(logins) };
  if (is(/model\b.*(not found|not exist|not available|not supported)|(unknown|invalid) model/i))
    return { kind: "request" };
  if ((status !== null && status >= 500) || is(passing)) return { kind: "transient" };
  if (is(brokenHistory)) return { kind: "poisoned" };
  if (is(/<!doctype html|<html\b|content.?(filter|policy)|\bsafety\b/i)) return { kind: "request" };
  return { kind: "unknown" };
}

const tooLong =
  /context_length_exceeded|maximum context length|context (length|window|size)|prompt is too long|too many (input )?tokens|token count.* exceeds/i;
const usedUp =
  /insufficient_quota|exceeded your|quota exceeded|usage limit|out of credits|\bbilling\b/i;
const passing =
  /overloaded|unavailable|fetch failed|ECONN|ETIMEDOUT|socket|network|timed? ?out|terminated|connection|stream (ended|closed)/i;
/** A request has the whole history in it, so what the service rejects there it would reject every time. */
const brokenHistory =
  /tool_use|tool_result|tool_calls?\b|function ?(call|response)|thinking|signature|could not process image|invalid image|messages\W*\d|roles must alternate|must be non-?empty/i;

function statusIn(said: string): number | null {
  const [, status] =
    /(?:^|\b(?:status|code|http)\b\D{0,12}|\berror\W{1,3})([45]\d\d)\b/i.exec(said) ?? [];
  return status === undefined ? null : Number(status);
}

/** "reset after 5h3m12s", "try again in 20s", "retry after 7200s"; in milliseconds. */
function waitIn(said: string): number | null {
  const [, hours, minutes, seconds] =
    /(?:reset|retry|try again)s? (?:after|in) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?/i.exec(
      said,
    ) ?? [];
  if (!(hours || minutes || seconds)) return null;
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000;
}

const maxMessage = 2000;

/** Many agents say "Internal error", and what happened in `data`. */
function textOf({ message, data }: RpcError): string {
  const { details, message: inner } = (data ?? {}) as { details?: unknown; message?: unknown };
  const more = [data, details, inner].find((each) => typeof each === "string" && each !== message);
  const said = typeof more === "string" ? `${message}: ${more}` : message;
  return said.slice(0, maxMessage);
}
