/** Nodes of a run that have begun and wait until one more agent, or script, may work on this host. */

import type { GraphNode } from "@reprise/core/workflow/graph";
import type { Execution } from "@reprise/core/workflow/run/state";
import type { Engine } from "../engine.ts";
import { maxAgents, maxScripts } from "../limits.ts";
import { isLimited } from "../turn/free-agent.ts";
import { spoolOf } from "./work/shell.ts";

/** One sentence that says so; null when it does not wait for that. */
export async function limitOf(
  engine: Engine,
  run: string,
  execution: Execution,
  { type }: GraphNode,
): Promise<string | null> {
  if (type === "agent") {
    const turn = await engine.store.readTurn(execution.turns.at(-1) ?? "");
    return turn && isLimited(turn)
      ? `It waits for a free agent: ${maxAgents(engine)} may work at once on this host (maxAgents).`
      : null;
  }
  if (type !== "shell") return null;
  const turn = spoolOf({ run, execution: execution.id, attempt: execution.attempt });
  const state = await engine.launcher.state({ turn, attempt: 1 });
  return state === "absent"
    ? `It waits for its turn: ${maxScripts(engine)} scripts may run at once on this host (maxScripts).`
    : null;
}
