/**
 * Decides what an attempt means: whether the turn is done, failed or tried again, what happens to the pin,
 * and which error or notice the user sees. Pure; the engine carries it out.
 */

import type { ErrorView } from "../errors/errors.ts";
import { option, verb } from "../errors/hint.ts";
import type { Notice, Outcome } from "./decision.ts";
import type { Failure } from "./failure.ts";
import type { AskedQuestion } from "./question.ts";
import type { AttemptEnding, TurnStatus } from "./turn.ts";

/** What is known about an attempt once its process has exited. */
export interface AttemptEvidence {
  readonly outcome: Exclude<Outcome, "refuse">;
  /** 1 or 2; there is never a third. */
  readonly number: number;
  readonly seen: AgentReport;
  /** Exit code, 128 + signal, or null when it was never recorded. */
  readonly exit: number | null;
  /** The id that was asked for; null where the agent chooses it. */
  readonly expectedId: string | null;
  /** The reported id has the provider's format and is not a credential. True if none was reported. */
  readonly idOk: boolean;
  /** The provider's history grew; null if the provider has no readable history. */
  readonly historyGrew: boolean | null;
  /** The provider's history contains a tool call or an answer of this turn. */
  readonly toolSaved: boolean;
  /** Why the provider's history could not be read after the attempt; null when it could. */
  readonly unread: ErrorView | null;
  readonly cancelled: boolean;
  /** Null when it is not known. */
  readonly cancelledBy: string | null;
  readonly timedOut: boolean;
  /** Unknown failures in a row in the pinned session before this attempt. */
  readonly strikes: number;
  readonly maxStrikes: number;
  /** The agent's own program can compact the session and has not tried to in this turn. */
  readonly compacts: boolean;
  /** Whether the turn continues after a limit that is reset then: it waits, or goes to another agent. */
  readonly continuesAfter: (resetAt: number) => boolean;
}

/** A summary of the events that the agent sent. */
export interface AgentReport {
  readonly id: string | null;
  readonly result: string | null;
  readonly tools: boolean;
  readonly failure: Failure | null;
  /** It ended with a question instead of an answer. */
  readonly asked: AskedQuestion | null;
  /** The agent was started but its spool is missing. What it did is unknown, so we assume that a tool ran. */
  readonly spoolLost?: boolean;
}

/** What an attempt means for its turn and for the pin. */
export interface AttemptResult {
  readonly ending: AttemptEnding;
  /** `again`: decide again and make a second attempt in the same turn. */
  readonly status:
    | Extract<TurnStatus, "done" | "waiting" | "failed" | "cancelled" | "interrupted">
    | "again";
  /**
   * `advance`: pin what came back. `keep`: leave the pin unchanged. `residue`: keep it, and record what the
   * unconfirmed turn left in the provider's history. `provisional`: pin the new provider session although
   * its first turn was cut off, because a tool ran in it.
   */
  readonly pin: "advance" | "keep" | "residue" | "provisional";
  /** The turn began and was cut off. If it was the first one, the next turn quotes its prompt. */
  readonly cutOff?: boolean;
  /** Why the resumed handle must never be used again. */
  readonly retire: string | null;
  /** Counts as an unknown failure of the pinned session. */
  readonly strike: boolean;
  readonly error: ErrorView | null;
  readonly notice: Notice | null;
}

/** The error code of an attempt after which the next attempt sends a summary. */
export const overflowCode = "session-overflow";

/** `silent`: no answer is expected, as in a compaction. */
export function classify(evidence: AttemptEvidence, { silent = false } = {}): AttemptResult {
  const { seen, exit, outcome, expectedId, historyGrew } = evidence;
  const resumed = outcome === "resume";

  if (evidence.cancelled) return stopped(evidence, "cancelled");
  if (evidence.timedOut) return stopped(evidence, "timed-out");

  // Check the id first: everything else that the agent reports is about that session.
  if (!evidence.idOk)
    return resumed ? rejected(evidence, "an unusable session id came back") : badId();
  if (expectedId !== null && seen.id !== null && seen.id !== expectedId)
    return resumed
      ? rejected(evidence, "another session came back")
      : notTheAskedId(evidence, "another session id came back");

  if (seen.failure) return failed(evidence, seen.failure);
  if (seen.asked) return parked(historyGrew);

  if (seen.result === null) {
    // 128 + signal, or no exit status: the process was killed.
    if (exit === null || exit > 128) return interrupted(evidence);
    return unknown(evidence, "no-answer", `The agent ended without an answer (exit ${exit}).`);
  }

  if (evidence.unread) return unread(evidence, evidence.unread);
  if (resumed && seen.id === null && historyGrew !== true)
    return rejected(evidence, "no session id came back");
  if (!silent && seen.result.trim() === "") return empty(evidence);
  const known = (seen.id ?? expectedId) !== null;
  return known && historyGrew !== false ? confirmed : ghost(resumed);
}

const confirmed: AttemptResult = {
  ending: "confirmed",
  status: "done",
  pin: "advance",
  retire: null,
  strike: false,
  error: null,
  notice: null,
};

/** A question that the provider did not save cannot be resumed; the answer is then sent as text. */
function parked(historyGrew: boolean | null): AttemptResult {
  const pin = historyGrew === false ? "keep" : "advance";
  return { ...confirmed, ending: "asked", status: "waiting", pin };
}

function ghost(resumed: boolean): AttemptResult {
  const next = resumed ? "the next turn sends it as text" : "this provider session is not used";
  return {
    ...confirmed,
    ending: "ghost",
    pin: "keep",
    notice: { code: "ghost", text: `The agent answered but did not save the turn; ${next}.` },
  };
}

/** Without a tool event, the turn produced nothing. With one, what the tools did is the result. */
function empty(evidence: AttemptEvidence): AttemptResult {
  const { seen, expectedId, historyGrew, toolSaved } = evidence;
  if (!seen.tools)
    return fruitless(evidence, {
      code: "empty-answer",
      message: "The agent ended its turn without an answer.",
      hint: "Send again; the session is kept.",
    });
  const known = (seen.id ?? expectedId) !== null;
  const saved = historyGrew !== false || toolSaved;
  if (!known || !saved) return ghost(evidence.outcome === "resume");
  const text = "The agent used tools and ended its turn without text.";
  return { ...confirmed, notice: { code: "empty-answer", text } };
}

function failed(evidence: AttemptEvidence, failure: Failure): AttemptResult {
  const message = clause(failure.message);
  const resumed = evidence.outcome === "resume";
  switch (failure.kind) {
    case "missing":
      return resumed ? rejected(evidence, message) : unknownFailure(evidence, message);
    case "in-use":
      return resumed ? busy(evidence, message) : notTheAskedId(evidence, message);
    case "writer":
      return busy(evidence, message);
    case "unsent":
      return unsent(evidence, message);
    case "transient":
      return {
        ...passing(evidence, {
          code: "transient",
          message: `The agent could not answer for now: ${message}.`,
          hint: "Send again later; the session is kept.",
        }),
        cutOff: !failure.throttled,
      };
    case "quota":
      return limited(evidence, {
        code: "quota",
        message: `The account's limit is used up${until(failure.resetAt)}: ${message}.`,
        hint: "Send again when it is reset, or with another agent; the session is kept.",
        ...(failure.resetAt !== undefined && { resetAt: failure.resetAt }),
      });
    case "login":
      return fruitless(evidence, {
        code: "login",
        message: `The agent is not logged in, or its credentials were rejected: ${message}.`,
        hint:
          failure.hint ??
          "Log in with the agent's own program, then send again; the session is kept.",
      });
    case "request":
      return fruitless(evidence, {
        code: "request-refused",
        message: `The model's service rejected the request: ${message}.`,
        hint:
          failure.hint ??
          "Check the model's name and the network, or change the prompt, then send again; the session is kept.",
      });
    case "poisoned":
      if (failure.overflow && evidence.outcome !== "blank")
        return evidence.compacts && !failure.exhausted && resumed
          ? tooLong(evidence, message)
          : overflowed(evidence, message);
      return resumed
        ? poisoned(evidence, message)
        : { ...unknownFailure(evidence, message), ending: "poisoned", pin: "keep" };
    case "unknown":
      return unknownFailure(evidence, message);
  }
}

/** The provider refused to continue the session, or silently started another one. */
function rejected(evidence: AttemptEvidence, why: string): AttemptResult {
  return lost(evidence, "rejected", `refused: ${why}`, {
    code: "session-refused",
    message: `The provider did not continue the session: ${why}`,
  });
}

/** The history itself is invalid: every later turn on it would fail the same way. */
function poisoned(evidence: AttemptEvidence, why: string): AttemptResult {
  return lost(evidence, "poisoned", `poisoned: ${why}`, {
    code: "session-poisoned",
    message: `The provider cannot use its own history of the session: ${why}`,
  });
}

/** The history is too long for the model: a resumed session is retired, and a second attempt sends a summary. */
function overflowed(evidence: AttemptEvidence, why: string): AttemptResult {
  const what = { code: overflowCode, message: overflowMessage(why) };
  const result = lost(evidence, "poisoned", `overflow: ${why}`, what);
  return evidence.outcome === "resume" ? result : { ...result, retire: null };
}

/** Too long, but the agent's own program can compact it: the session is kept and compacted before a second attempt. */
function tooLong(evidence: AttemptEvidence, why: string): AttemptResult {
  if (evidence.number > 1 || evidence.seen.tools) return overflowed(evidence, why);
  return {
    ending: "poisoned",
    status: "again",
    pin: leftover(evidence),
    retire: null,
    strike: false,
    error: {
      code: overflowCode,
      message: `${overflowMessage(why)}.`,
      hint: "Nothing to do: the turn continued with a shorter session.",
    },
    notice: null,
  };
}

function overflowMessage(why: string): string {
  return `The conversation does not fit into the model's context: ${why}`;
}

/** The session is never used again. The turn continues with a new one if no tool has run yet. */
function lost(
  { number, seen }: AttemptEvidence,
  ending: AttemptEnding,
  retire: string,
  { code, message }: { code: string; message: string },
): AttemptResult {
  const gone = { ending, pin: "keep", retire, strike: false } as const;
  if (number === 1 && !seen.tools)
    return {
      ...gone,
      status: "again",
      error: {
        code,
        message: `${message}.`,
        hint: "Nothing to do: the turn continued in a new session.",
      },
      notice: {
        code,
        text: `${message}; the session is retired, and the turn continued in a new one.`,
      },
    };
  return {
    ...gone,
    status: "failed",
    error: seen.tools
      ? {
          code,
          message: `${message}; a tool had already run, so the turn was not repeated.`,
          hint: "Check what the tool did, then send again: the next turn starts from the transcript.",
        }
      : {
          code,
          message: `${message}.`,
          hint: "Send again: the next turn starts from the transcript.",
        },
    notice: null,
  };
}

/** A new session did not start with the id that we chose for it. */
function notTheAskedId({ number, seen }: AttemptEvidence, why: string): AttemptResult {
  const again = number === 1 && !seen.tools;
  return {
    ending: "rejected",
    status: again ? "again" : "failed",
    pin: "keep",
    retire: null,
    strike: false,
    error: {
      code: "id-in-use",
      message: `The new provider session did not get its id: ${why}.`,
      hint: again ? "Nothing to do: the turn continued with another id." : "Send again.",
    },
    notice: again
      ? {
          code: "id-in-use",
          text: "The new session did not get its id; the turn continued with another id.",
        }
      : null,
  };
}

/** Nothing was sent, so the same launch may be made once more. */
function unsent(evidence: AttemptEvidence, why: string): AttemptResult {
  const result = passing(evidence, {
    code: "prompt-unread",
    message: `The agent ended before it read its prompt: ${why}.`,
    hint: "Send again when the machine is less busy; the session is kept.",
  });
  if (evidence.number > 1 || evidence.seen.tools || !result.error) return result;
  return {
    ...result,
    status: "again",
    pin: "keep",
    error: { ...result.error, hint: "Nothing to do: the agent was started again." },
    notice: {
      code: "prompt-unread",
      text: `The agent ended before it read its prompt (${why}); it was started again.`,
    },
  };
}

/** As long as nothing was done, the turn may continue after the reset, or with another agent. */
function limited(evidence: AttemptEvidence, error: ErrorView): AttemptResult {
  const { number, seen, toolSaved, continuesAfter } = evidence;
  const result = passing(evidence, error);
  const nothingDone = number === 1 && !seen.tools && !toolSaved;
  if (!nothingDone || error.resetAt === undefined || !continuesAfter(error.resetAt)) return result;
  return {
    ...result,
    status: "again",
    error: { ...error, hint: "Nothing to do: the turn continues as onQuota says." },
  };
}

function busy(evidence: AttemptEvidence, why: string): AttemptResult {
  return passing(evidence, {
    code: "session-in-use",
    message: `Another process is using this provider session: ${why}.`,
    hint: "Close the agent's own program that has this session open, then send again.",
  });
}

function passing(evidence: AttemptEvidence, error: ErrorView): AttemptResult {
  return {
    ending: "transient",
    status: "failed",
    pin: leftover(evidence),
    retire: null,
    strike: false,
    error,
    notice: null,
  };
}

/** A failure that a retry would repeat; the session itself is fine. */
function fruitless(evidence: AttemptEvidence, error: ErrorView): AttemptResult {
  return { ...passing(evidence, error), ending: "failed" };
}

/** Nothing can be confirmed, and nothing is known to be lost: the pin stays, and the key is free. */
function unread(evidence: AttemptEvidence, { code, message }: ErrorView): AttemptResult {
  return {
    ...fruitless(evidence, {
      code,
      message: `The agent ended its turn, but what it saved cannot be checked. ${message}`,
      hint: `Make it readable and send again: what the agent did is then read from it. Or send with ${option("continuity", "reseed")} or ${option("continuity", "blank")}.`,
    }),
    pin: "keep",
    cutOff: true,
  };
}

function unknownFailure(evidence: AttemptEvidence, message: string): AttemptResult {
  return unknown(evidence, "agent-failed", `The agent failed: ${message}.`);
}

function unknown(evidence: AttemptEvidence, code: string, message: string): AttemptResult {
  const strike = evidence.outcome === "resume";
  const strikes = evidence.strikes + 1;
  const out = strike && strikes >= evidence.maxStrikes;
  return {
    ending: "failed",
    status: "failed",
    pin: out ? "keep" : leftover(evidence),
    retire: out ? `${strikes} unknown failures in a row` : null,
    strike,
    error: {
      code,
      message,
      hint: out
        ? "Send again: the session is retired, and the next turn starts from the transcript."
        : `Check that the agent works by itself (see ${verb("doctor")}), then send again.`,
    },
    notice: null,
  };
}

function interrupted(evidence: AttemptEvidence): AttemptResult {
  const { spoolLost } = evidence.seen;
  const how =
    evidence.exit === null ? "and left no exit status" : `by signal ${evidence.exit - 128}`;
  return {
    ending: "interrupted",
    status: "interrupted",
    cutOff: true,
    pin: leftover(evidence),
    retire: null,
    strike: false,
    error: {
      code: "interrupted",
      message: spoolLost
        ? "The agent was started, but its spool is missing: what it did and answered is unknown."
        : `The agent's process ended ${how} before it answered.`,
      hint: evidence.seen.tools
        ? "Check what its tools did, then send again; the session is kept."
        : "Send again; the session is kept.",
    },
    notice: null,
  };
}

function stopped(evidence: AttemptEvidence, ending: "cancelled" | "timed-out"): AttemptResult {
  const cancelled = ending === "cancelled";
  const by = cancelled ? evidence.cancelledBy : null;
  return {
    ending,
    status: cancelled ? "cancelled" : "failed",
    cutOff: true,
    pin: leftover(evidence),
    retire: null,
    strike: false,
    error: {
      code: ending,
      message: cancelled
        ? by === null
          ? "The turn was cancelled."
          : `${by} cancelled the turn.`
        : "The agent did not answer in time and was stopped.",
      hint: cancelled
        ? "Send again at any time; the session is kept."
        : `Send again with a higher value for ${option("timeout")}; the session is kept.`,
      ...(by !== null && { by }),
    },
    notice: null,
  };
}

/** The message does not quote the id, because it may be a credential. */
function badId(): AttemptResult {
  return {
    ending: "rejected",
    status: "failed",
    pin: "keep",
    retire: null,
    strike: false,
    error: {
      code: "bad-session-id",
      message: "The agent reported an invalid session id.",
      hint: `Check the agent's program and settings (see ${verb("doctor")}).`,
    },
    notice: null,
  };
}

/**
 * An unconfirmed turn may have left its prompt, or more, in the session that it resumed. A new session is
 * worth keeping only if a tool ran and was saved in it; a reported id alone is not enough.
 */
function leftover(evidence: AttemptEvidence): "keep" | "residue" | "provisional" {
  if (evidence.outcome === "resume") return evidence.historyGrew === true ? "residue" : "keep";
  const { seen, idOk, expectedId, toolSaved } = evidence;
  const asked = expectedId === null || seen.id === null || seen.id === expectedId;
  return seen.tools && toolSaved && idOk && asked ? "provisional" : "keep";
}

function until(resetAt: number | undefined): string {
  const at = new Date(resetAt ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? "" : ` until ${at.toISOString()}`;
}

/** Fits foreign text into one of our sentences. */
export function clause(text: string): string {
  const line = text
    .trim()
    .split(/\s*[\r\n]\s*/, 1)[0]!
    .replace(/[\s.]+$/, "");
  if (line === "") return "no reason given";
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
