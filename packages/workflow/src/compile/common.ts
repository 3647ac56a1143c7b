/** What every node has: label, time-out, retries, what a failure does. */

import { parseDuration } from "@reprise/core/text/duration";
import type { OnError, RetryPolicy } from "../graph.ts";
import type { WrittenNode } from "../parse/written.ts";

const backoff = 1000;
const maxBackoff = 60_000;

export function milliseconds(written: string | number | null | undefined): number | null {
  if (written === null || written === undefined) return null;
  return typeof written === "number" ? written : parseDuration(written);
}

export function retryOf({ retry }: WrittenNode["data"]): RetryPolicy | null {
  if (retry === undefined) return null;
  const policy = typeof retry === "number" ? { max: retry } : retry;
  if (policy.max === 0) return null;
  return {
    max: policy.max,
    backoff: milliseconds(policy.backoff) ?? backoff,
    maxBackoff: milliseconds(policy.maxBackoff) ?? maxBackoff,
  };
}

/** Null if the file does not say. */
export function onErrorOf({ onError, continueOnFailure }: WrittenNode["data"]): OnError | null {
  if (onError !== undefined) return onError;
  if (continueOnFailure === undefined) return null;
  return continueOnFailure ? "continue" : "fail";
}
