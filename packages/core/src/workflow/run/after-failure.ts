/** Whether work that failed is tried again. */

import type { GraphNode } from "../graph.ts";

/**
 * `usage`: it cannot be done as it stands, and never will. `interrupted`: it was cut off while nobody
 * carried it, and nobody knows how far it came; the node says what then. `cancelled`: somebody wanted its
 * end. What dies while it is carried has failed by itself: else it would be tried again for ever.
 */
export type FailureKind =
  | "usage"
  | "transient"
  | "terminal"
  | "timed-out"
  | "interrupted"
  | "cancelled";

/**
 * Milliseconds until the next attempt, without jitter; null when there is none. `failures` are those
 * before this one, since it began or was rerun.
 */
export function afterFailure(node: GraphNode, failures: number, kind: FailureKind): number | null {
  if (kind === "usage" || kind === "cancelled") return null;
  // Each takes the death of whoever carried it, so that there is an end to them.
  if (kind === "interrupted")
    return "onInterrupted" in node && node.onInterrupted === "fail" ? null : 0;
  const { retry } = node;
  if (retry === null || failures >= retry.max) return null;
  return Math.min(retry.backoff * 2 ** failures, retry.maxBackoff);
}
