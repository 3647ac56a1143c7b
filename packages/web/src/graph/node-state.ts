/** The state of a node, over all of its executions. */

import type { ExecutionView } from "@reprise/core/api/reprise";

export interface NodeState {
  /** `open` before it starts. */
  readonly status: ExecutionView["status"] | "open";
  readonly outcome: string | null;
  /** How often it ran. */
  readonly times: number;
  /** The current or last iteration of a loop. */
  readonly iteration: number | null;
  /** How many tool calls its agent was denied, over all executions. */
  readonly denied: number;
  /** The execution to show when the node is selected. */
  readonly latest: ExecutionView | null;
}

export function nodeStates(executions: readonly ExecutionView[]): (node: string) => NodeState {
  const byNode = Map.groupBy(executions, ({ node }) => node);
  return (node) => {
    const own = byNode.get(node) ?? [];
    const latest = own.at(-1) ?? null;
    return {
      status: latest?.status ?? "open",
      outcome: latest?.outcome ?? (latest && isRejected(latest) ? "rejected" : null),
      times: own.filter(({ status }) => status !== "skipped").length,
      iteration: latest?.type === "loop" ? iterationOf(executions, latest) : null,
      denied: own.reduce((sum, { denied }) => sum + denied.length, 0),
      latest,
    };
  };
}

/** A gate that was answered with another than its first choice. */
export function isRejected({ type, status, outputs }: ExecutionView): boolean {
  return type === "gate" && status === "done" && outputs.approved === false;
}

function iterationOf(executions: readonly ExecutionView[], loop: ExecutionView): number | null {
  const numbers = executions
    .filter(({ id }) => id.startsWith(`${loop.id}/`))
    .map(({ iterations }) => iterations[loop.iterations.length] ?? 0);
  return numbers.length === 0 ? null : Math.max(...numbers);
}
