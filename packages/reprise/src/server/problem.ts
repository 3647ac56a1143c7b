/** Errors over HTTP: a status by the class, and `application/problem+json`. */

import { STATUS_CODES } from "node:http";
import {
  BusyError,
  DeniedError,
  type ErrorView,
  FencedError,
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
import { HttpError } from "./http-error.ts";

export interface Problem extends Omit<ErrorView, "message"> {
  /** `urn:reprise:error:<code>` */
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Name of the error's class, which is its policy. */
  class?: string;
  /** The id of an unexpected error in the server's log. */
  incident?: string;
}

/** Null for an unexpected error. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof RepriseError)) return null;
  if (error instanceof HttpError) return error.status;
  if (error instanceof UsageError) return 400;
  if (error instanceof NotFoundError) return 404;
  if (error instanceof DeniedError) return 403;
  if (error instanceof TimedOutError) return 504;
  if (error instanceof RetryableError) return 503;
  if (error instanceof StoreError) return storeStatuses[error.code] ?? 500;
  const conflicts = [BusyError, RefusedError, TerminalError, SessionLostError, FencedError];
  return conflicts.some((conflict) => error instanceof conflict) ? 409 : 500;
}

const storeStatuses: Readonly<Record<string, number>> = {
  conflict: 409,
  "store-busy": 503,
  "store-full": 507,
  "store-io": 503,
  "store-not-writable": 503,
};

export function problemOf(error: unknown, incident: string): Problem {
  const status = statusOf(error);
  if (!(error instanceof RepriseError) || status === null)
    return {
      ...typeOf("internal", 500),
      detail: "An unexpected error occurred. The server's log has its details under this incident.",
      hint: "This is a bug in Reprise. Please report it.",
      incident,
    };
  const { message, code, ...view } = error.view();
  return {
    ...typeOf(code, status),
    detail: message,
    ...(error instanceof HttpError ? {} : { class: error.name }),
    ...view,
    ...(error instanceof QuotaError && error.resetAt !== null ? { resetAt: error.resetAt } : {}),
  };
}

function typeOf(code: string, status: number) {
  return {
    type: `urn:reprise:error:${code}`,
    title: STATUS_CODES[status] ?? "Error",
    status,
    code,
  };
}
