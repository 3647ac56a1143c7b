/** Whether failed work is retried. */

import type { GraphNode } from "../graph.ts";

/** `usage`: the request is invalid, so a retry would fail too. `interrupted`: the run had no owner when the
 * work was cut off, so its progress is unknown; the node says what to do. `cancelled`: a caller ended it. Work
 * that dies while the run has an owner is a failure; otherwise it would be retried for ever.
 */
export type FailureKind =
  | "usage"
  | "transient"
  | "terminal"
  | "timed-out"
  | "interrupted"
  | "cancelled";

/** Milliseconds until the next attempt, without jitter; null if there is none. `failures` counts those before
 * this one since the start or the last rerun.
 */
export function afterFailure(node: GraphNode, failures: number, kind: FailureKind): number | null {
  if (kind === "usage" || kind === "cancelled") return null;
  // Each one needs the death of the run's owner, so this cannot repeat for ever.
  if (kind === "interrupted")
    return "onInterrupted" in node && node.onInterrupted === "fail" ? null : 0;
  const { retry } = node;
  if (retry === null || failures >= retry.max) return null;
  return Math.min(retry.backoff * 2 ** failures, retry.maxBackoff);
}
