/** The event for the end of a node's work; for a failure, whether and when it is retried. */

import type { GraphNode } from "@reprise/workflow/graph";
import { afterFailure } from "@reprise/workflow/run/after-failure";
import type { RunEvent } from "@reprise/workflow/run/event";
import { fitOutputs } from "@reprise/workflow/run/outputs";
import type { Execution } from "@reprise/workflow/run/state";
import type { WorkEnd } from "./work/work.ts";

export interface EndingContext {
  readonly node: GraphNode;
  readonly execution: Pick<Execution, "id" | "attempt" | "failures">;
  readonly now: number;
  /** Between 0 and 1. */
  readonly random: number;
}

/** Null if there is nothing to record because the work continues without us. */
export function endEvent(given: WorkEnd, context: EndingContext): RunEvent | null {
  const { id: execution, attempt } = context.execution;
  const end = checked(given, context.node);
  if (end.type === "left") return null;
  if (end.type === "waiting") return { type: "node.waiting", execution, attempt, turn: end.turn };
  const seen = {
    ...(end.outcome === undefined ? {} : { outcome: end.outcome }),
    ...(end.tokens === undefined ? {} : { tokens: end.tokens }),
    ...(end.denied?.length ? { denied: end.denied } : {}),
  };
  if (end.type === "done")
    return { type: "node.done", execution, attempt, outputs: end.outputs, ...seen };
  return {
    type: "node.failed",
    execution,
    attempt,
    error: end.error,
    outputs: end.outputs,
    retryAt: retryTime(end, context),
    ...seen,
  };
}

/** A node whose outputs do not match its declaration has failed; the outputs are kept for inspection. */
function checked(end: WorkEnd, node: GraphNode): WorkEnd {
  if (end.type !== "done") return end;
  const fitted = fitOutputs(node, end.outputs);
  if (!("problem" in fitted)) return end;
  const { problem: error } = fitted;
  const outputs = { ...end.outputs, success: false, error: error.message };
  return { ...end, type: "failed", kind: "terminal", error, outputs };
}

function retryTime(
  { kind, retryAt = null }: Extract<WorkEnd, { type: "failed" }>,
  { node, execution, now, random }: EndingContext,
): number | null {
  const pause = afterFailure(node, execution.failures, kind);
  if (pause === null) return null;
  // The provider says when to retry; do not retry if that is later than the longest backoff.
  if (retryAt !== null && node.retry && retryAt > now + node.retry.maxBackoff) return null;
  const varied = Math.round(pause * (0.75 + random / 2));
  return Math.max(now + varied, retryAt ?? 0);
}
