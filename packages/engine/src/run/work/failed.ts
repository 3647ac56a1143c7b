/** The end of a node's work that threw an error or was cancelled. */

import { errorView, RetryableError, TimedOutError, UsageError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import type { NamedValues } from "@reprise/workflow/run/event";
import type { FailureKind, WorkEnd } from "./work.ts";

export function failed(error: unknown, outputs: NamedValues = {}): WorkEnd {
  const view = errorView(error);
  return {
    type: "failed",
    kind: kindOf(error),
    error: view,
    outputs: { success: false, error: view.message, ...outputs },
  };
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof UsageError) return "usage";
  if (error instanceof TimedOutError) return "timed-out";
  return error instanceof RetryableError ? "transient" : "terminal";
}

export function cancelled(outputs: NamedValues = {}): WorkEnd {
  const error = {
    code: "cancelled",
    message: "The node was cancelled.",
    hint: `Run it again with ${verb("runs.rerun", { run: slot("RUN") })}.`,
  };
  return { type: "failed", kind: "cancelled", error, outputs };
}
