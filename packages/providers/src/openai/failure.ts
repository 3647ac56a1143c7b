/** Classifies what a Chat Completions service answers instead of a completion, by its status, code and parameter. */

import type { Failure } from "../provider.ts";
import { howToLogIn } from "./account.ts";

/** An error as the service reported it; what it did not say is null. */
export interface ServiceError {
  /** Null if it came in the middle of a stream. */
  readonly status: number | null;
  readonly code: string | null;
  readonly type: string | null;
  /** The part of the request that it blames, such as `messages.[1].content`. */
  readonly param: string | null;
  readonly message: string;
  /** When the limit that was hit is reset, in milliseconds. */
  readonly resetAt: number | null;
}

/** The limit of a minute passes by itself; what takes longer is a quota, which is not tried again before. */
const aMinute = 60_000;

export const loginHint = `${howToLogIn} Then send again; the session is kept.`;

const modelHint =
  "Name a model that the service at baseUrl has, with the agent's model or for this call, then send again; the session is kept.";

/** Services name it by a code, or only say it. */
const tooLong =
  /context_length_exceeded|exceed_context_size|maximum context length|context (?:length|window|size)|prompt is too long|too many (?:input )?tokens|request too large/i;

/**
 * `earlier` is how many messages of the request came before the new prompt: only what is wrong with one of those is wrong
 * with the history.
 */
export function failureOf(error: ServiceError, earlier: number, now: number): Failure {
  const { status, code, type, resetAt } = error;
  const message = messageOf(error);
  const text = `${code ?? ""} ${type ?? ""} ${error.message}`;
  const reported = { message, ...(resetAt !== null && { resetAt }) };

  if (status === 401) return { kind: "login", message, hint: loginHint };
  if (/insufficient_quota|usage_limit|billing/i.test(`${code} ${type}`) || status === 402)
    return { kind: "quota", ...reported };
  if (status === 413 || tooLong.test(text)) return { kind: "poisoned", message, overflow: true };
  if (status === 429 || code === "rate_limit_exceeded") {
    const isLong = resetAt !== null && resetAt - now > aMinute;
    return isLong
      ? { kind: "quota", ...reported }
      : { kind: "transient", ...reported, throttled: true };
  }
  if (/content_filter|content_policy/i.test(text)) return { kind: "request", message };
  if (isAboutModel(error)) return { kind: "request", message, hint: modelHint };
  if (status === 403) return { kind: "login", message, hint: loginHint };
  if (isPassing(error)) return { kind: "transient", ...reported };
  if (status !== null && (status < 400 || status === 404 || status === 405))
    return { kind: "request", message, hint: addressHint };
  return { kind: blames(error, earlier), message };
}

function isPassing({ status, type }: ServiceError): boolean {
  if (status === null) return !/invalid/i.test(type ?? "");
  return status >= 500 || [408, 409, 425].includes(status);
}

const addressHint =
  "Check the setting baseUrl (or OPENAI_BASE_URL): it ends where /chat/completions begins. The session is kept.";

/** A page of the network, or of a proxy, instead of an answer. */
export function notAnAnswer(message: string): Failure {
  return { kind: "request", message, hint: addressHint };
}

function messageOf({ status, code, message }: ServiceError): string {
  const name = [status, code].filter((part) => part !== null).join(" ");
  return name === "" ? message : `${message} (${name})`;
}

function isAboutModel({ status, code, param, message }: ServiceError): boolean {
  if (code === "model_not_found" || param === "model") return true;
  return status === 404 && /\bmodel\b/i.test(message);
}

/** What services say about a history that they do not take. */
const brokenHistory =
  /tool_call_id|tool_calls|role 'tool'|roles must alternate|conversation roles|invalid image|image_url|must be non-?empty|must not be empty/i;

function blames({ param, message }: ServiceError, earlier: number): Failure["kind"] {
  const [, index] = /^messages\W*(\d+)/.exec(param ?? "") ?? [];
  if (index !== undefined) return Number(index) < earlier ? "poisoned" : "request";
  if (/^messages\b/.test(param ?? "") || brokenHistory.test(message))
    return earlier > 0 ? "poisoned" : "request";
  if (/^(response_format|tools|stream_options)\b/.test(param ?? "")) return "request";
  return "unknown";
}

/**
 * When the limit is reset: by `Retry-After` (seconds or a date), by the reset of the limit of which nothing is left, by
 * a field of the body, or by what the message says.
 */
export function resetTime(
  headers: Pick<Headers, "get">,
  body: { readonly resets_at?: unknown; readonly message?: unknown },
  now: number,
): number | null {
  const inMilliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(inMilliseconds)) return now + inMilliseconds;
  const after = headers.get("retry-after");
  if (after !== null) {
    const seconds = Number(after);
    const at = Number.isFinite(seconds) ? now + seconds * 1000 : Date.parse(after);
    if (Number.isFinite(at)) return at;
  }
  const spent = ["requests", "tokens"].flatMap((kind) =>
    headers.get(`x-ratelimit-remaining-${kind}`) === "0"
      ? (milliseconds(headers.get(`x-ratelimit-reset-${kind}`) ?? "") ?? [])
      : [],
  );
  if (spent.length > 0) return now + Math.max(...spent);
  if (typeof body.resets_at === "number") return body.resets_at * 1000;
  const [, said = ""] = /try again in ([\d.hms]+)/i.exec(String(body.message ?? "")) ?? [];
  const wait = milliseconds(said);
  return wait === null ? null : now + wait;
}

/** `6m0s`, `1h2m`, `20ms`, `1.5s`. */
function milliseconds(duration: string): number | null {
  const parts = [...duration.matchAll(/([\d.]+)(ms|h|m|s)/g)];
  if (parts.length === 0) return null;
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit!]!, 0);
}
