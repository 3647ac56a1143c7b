/**
 * Errors of providers from outside. Such a provider may use its own copy of Reprise, whose error classes are not the
 * classes of this one. The class decides what a failure means, so each error becomes the class of the same name here.
 */

import {
  DeniedError,
  NotFoundError,
  QuotaError,
  RefusedError,
  RepriseError,
  RetryableError,
  SessionLostError,
  TerminalError,
  TimedOutError,
  UnreadError,
  UsageError,
} from "@reprise/core/errors/errors";
import type { Provider } from "@reprise/providers/provider";

const classes = [
  DeniedError,
  NotFoundError,
  RefusedError,
  RetryableError,
  TerminalError,
  TimedOutError,
  UnreadError,
  UsageError,
];

/** The same provider, whose functions throw errors of this copy of Reprise. */
export function withOwnErrors(provider: Provider): Provider {
  return new Proxy(provider, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        try {
          const result: unknown = Reflect.apply(value, target, args);
          return result instanceof Promise ? result.catch(rethrow) : result;
        } catch (error) {
          return rethrow(error);
        }
      };
    },
  });
}

function rethrow(error: unknown): never {
  throw ownError(error);
}

export function ownError(error: unknown): unknown {
  if (error instanceof RepriseError || !isForeign(error)) return error;
  const { name, code, message, hint } = error;
  const options = { cause: error };
  if (name === "SessionLostError")
    return new SessionLostError(code, message, hint, String(error.evidence ?? ""));
  if (name === "QuotaError")
    return new QuotaError(code, message, hint, Number(error.resetAt ?? 0) || null);
  const Same = classes.find((each) => each.name === name) ?? RepriseError;
  return new Same(code, message, hint, options);
}

interface ForeignError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly evidence?: unknown;
  readonly resetAt?: unknown;
}

function isForeign(error: unknown): error is ForeignError {
  return (
    error instanceof Error &&
    "hint" in error &&
    typeof error.hint === "string" &&
    "code" in error &&
    typeof error.code === "string"
  );
}
