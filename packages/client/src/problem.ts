/** The errors of a server as the errors of the library: the same class, code, sentence and hint. */

import {
  BusyError,
  DeniedError,
  NotFoundError,
  QuotaError,
  RefusedError,
  RepriseError,
  RetryableError,
  SessionLostError,
  StoreError,
  TerminalError,
  TimedOutError,
  UsageError,
} from "@reprise/core/errors/errors";

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly hint: string;
  /** Name of the error's class. */
  readonly class?: string;
  readonly resetAt?: number;
  readonly incident?: string;
}

const classes = {
  BusyError,
  DeniedError,
  NotFoundError,
  RefusedError,
  RetryableError,
  StoreError,
  TerminalError,
  TimedOutError,
  UsageError,
};

const classOfStatus: Readonly<Record<number, keyof typeof classes>> = {
  400: "UsageError",
  401: "DeniedError",
  403: "DeniedError",
  404: "NotFoundError",
  413: "UsageError",
  422: "UsageError",
  429: "RetryableError",
  503: "RetryableError",
  504: "TimedOutError",
};

export async function errorOf(response: Response): Promise<RepriseError> {
  const problem = readProblem(await response.text());
  return problem === null
    ? notReprise(`answered ${response.status}, but not as Reprise does`)
    : fromProblem(problem, response.status);
}

export function notReprise(what: string): RepriseError {
  return new RepriseError(
    "not-reprise",
    `The server ${what}.`,
    "Check the address of the Reprise server, and any proxy in front of it.",
  );
}

function fromProblem(problem: Problem, status: number): RepriseError {
  const { code, hint, resetAt, incident } = problem;
  const message = incident ? `${problem.detail} (incident ${incident})` : problem.detail;
  if (problem.class === "QuotaError" || resetAt !== undefined)
    return new QuotaError(code, message, hint, resetAt ?? null);
  if (problem.class === "SessionLostError") return new SessionLostError(code, message, hint, "");
  const name = problem.class ?? "";
  const known = Object.hasOwn(classes, name)
    ? (name as keyof typeof classes)
    : classOfStatus[status];
  return known === undefined
    ? new RepriseError(code, message, hint)
    : new classes[known](code, message, hint);
}

function readProblem(text: string): Problem | null {
  try {
    const value = JSON.parse(text);
    const isProblem = [value?.code, value?.detail, value?.hint].every(
      (field) => typeof field === "string",
    );
    return isProblem ? value : null;
  } catch {
    return null;
  }
}
