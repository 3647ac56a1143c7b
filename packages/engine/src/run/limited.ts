/** Nodes of a run that have begun and wait: until this host may run one more agent or script, or for the reset of a limit. */

import type { GraphNode } from "@reprise/workflow/graph";
import { currentTurn } from "@reprise/workflow/run/place";
import type { Execution } from "@reprise/workflow/run/state";
import type { Engine } from "../engine.ts";
import { isLimited, maxAgents, maxScripts } from "../turn/launch.ts";
import { waitsUntil } from "../turn/quota.ts";
import { spoolOf } from "./work/shell.ts";

/** A sentence that names the limit; null if the node does not wait for it. */
export async function limitOf(
  engine: Engine,
  run: string,
  execution: Execution,
  { type }: GraphNode,
): Promise<string | null> {
  if (type === "agent") {
    const turn = await engine.store.readTurn(currentTurn(execution) ?? "");
    const until = turn && waitsUntil(turn);
    if (until)
      return `Waiting for the reset of the limit of agent ${turn.request.agent}'s account at ${new Date(until).toISOString()} (onQuota).`;
    return turn && isLimited(turn)
      ? `Waiting for a free agent: at most ${maxAgents(engine)} run at once on this host (maxAgents).`
      : null;
  }
  if (type !== "shell") return null;
  const turn = spoolOf({ run, execution: execution.id, attempt: execution.attempt });
  const state = await engine.launcher.state({ turn, attempt: 1 });
  return state === "absent"
    ? `Waiting for a free slot: at most ${maxScripts(engine)} scripts run at once on this host (maxScripts).`
    : null;
}
