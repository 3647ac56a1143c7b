/** Classifies a failure of gemini (0.61). Only texts of its failure channels are passed here, never an answer. */

import type { Failure } from "../provider.ts";
import { howToLogIn } from "./account.ts";

const loginHint = `${howToLogIn} Then send again; the session is kept.`;

/** In order; the first match counts. */
const refusals: readonly [RegExp, Failure["kind"]][] = [
  [/Error resuming session: (Invalid session identifier|No previous sessions)/, "missing"],
  [/Error resuming session: Failed to (load|find) session/, "missing"],
  [/Session ID "[^"]*" already exists/, "in-use"],
  // On a machine under load gemini gives up on its standard input after half a second.
  [/No input provided via stdin/, "unsent"],
  [/auth method|GEMINI_API_KEY|GOOGLE_API_KEY|authenticat|\blog ?in\b/i, "login"],
  [/not running in a trusted directory|Unknown argument|Invalid values/, "request"],
];

/** The exit code of a gemini that has no credentials. */
const noLogin = 41;

/** Classifies a process that ended before a turn began, by its standard error. */
export function refusalOf(stderr: string, code: number): Failure {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  for (const [pattern, kind] of refusals) {
    const line = lines.find((each) => pattern.test(each));
    if (line !== undefined) return failure(kind, line.trim());
  }
  if (code === noLogin) return failure("login", lines.at(-1) ?? "it is not logged in");
  return failure("unknown", lines.at(-1)?.trim() ?? `exit code ${code}`);
}

interface ServiceError {
  readonly code?: number | string;
  readonly status?: string;
  readonly message?: string;
}

/** Classifies a failed turn by the message of its result. */
export function failureOf(said: string, now: Date): Failure {
  const text = said
    .replace(/^\[API Error: /, "")
    .replace(/\](\nPlease wait and try again.*)?$/s, "");
  const error = serviceError(text);
  const message = error?.message ?? text;
  const code = Number(error?.code);
  if (/token count.* exceeds the maximum|context window|too many tokens/i.test(message))
    return { kind: "poisoned", message, overflow: true };
  const limited = limitOf(message, now);
  if (limited) return limited;
  if (/API[ _]key|credential|not logged in|log ?in again|VALIDATION_REQUIRED/i.test(message))
    return failure("login", message);
  if (code === 401 || code === 403) return failure("login", message);
  if (code === 429 || /Resource has been exhausted|rate limit/i.test(message))
    return { kind: "transient", message, throttled: true };
  if (code >= 500 || passing.test(message)) return failure("transient", message);
  if (code === 400 && history.test(message)) return failure("poisoned", message);
  if (code === 404 || error?.code === "model_not_found" || /model.* not found/i.test(message))
    return failure("request", message);
  // A page of the network instead of an answer.
  const page = /Incomplete JSON segment|<!doctype html|<html\b/i.test(message);
  return failure(page || blocked.test(message) ? "request" : "unknown", message);
}

function failure(kind: Failure["kind"], message: string): Failure {
  return { kind, message, ...(kind === "login" && { hint: loginHint }) };
}

const passing =
  /overloaded|unavailable|fetch failed|terminated|ECONN|ETIMEDOUT|socket|network|timed? ?out|internal error/i;

/** A request contains the whole history, so what the service rejects in it would be rejected every time. */
const history =
  /function ?(call|response)|function_(call|response)|thought_?signature|\bcontents?\b|\bparts?\b|inline_?data|image/i;

const blocked = /safety|recitation|blocked|prohibited/i;

/** Gemini gives some errors as the JSON of the service, others as their message alone. */
function serviceError(text: string): ServiceError | null {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text).error ?? null;
  } catch {
    return null;
  }
}

/** A limit that does not pass within a turn; with the time of its reset where the service says so. */
function limitOf(message: string, now: Date): Failure | null {
  if (
    !/exhausted your|exceeded your|quota exceeded|capacity exceeded|out of credits/i.test(message)
  )
    return null;
  const wait = waitIn(message);
  return {
    kind: "quota",
    message,
    ...(wait !== undefined && { resetAt: now.getTime() + wait * 1000 }),
  };
}

/** "quota will reset after 5h3m12s", "Suggested retry after 7200s", "Please retry in 34.07s". */
function waitIn(message: string): number | undefined {
  const said =
    /(?:reset after|retry after|retry in) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?/i.exec(message);
  const [, hours, minutes, seconds] = said ?? [];
  if (!(hours || minutes || seconds)) return undefined;
  return Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}
