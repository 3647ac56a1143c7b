/** Shows an inbox item with whether its sessions could be resumed now. */

import type { Explanation, InboxItemDetail } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import { nodeIndex } from "@reprise/workflow/run/graph-index";
import type { Engine, TurnSetup } from "../engine.ts";
import { readRunState } from "../run/read-state.ts";
import { nodeTurn } from "../run/work/node-agent.ts";
import { explain } from "../session/explain.ts";
import { findItem } from "./find-item.ts";
import { itemView, questionView } from "./views.ts";

export async function showItem(engine: Engine, wanted: string): Promise<InboxItemDetail> {
  const found = await findItem(engine, wanted);
  const view = "item" in found ? itemView(found.item) : await questionView(engine, found.turn);
  // After a gate the next node runs, with its current class or agent; an answer goes to the agent that asked.
  const isNodes = "item" in found && view.resolution === null;
  const explanations: Explanation[] = [];
  for (const key of view.sessions) {
    const explanation = await explainNow(engine, key, { run: view.run, isNodes });
    if (explanation) explanations.push(explanation);
  }
  return { ...view, resumability: explanations };
}

interface Owner {
  readonly agent: string;
  readonly provider: string;
  /** Its folder, if no turn has one. */
  readonly folder?: string;
  /** What its next turn sets. */
  readonly setup?: TurnSetup;
}

/** Explains with the options of the last turn, because the run sends the next one the same way. */
async function explainNow(
  engine: Engine,
  key: string,
  { run, isNodes }: { readonly run: string | null; readonly isNodes: boolean },
): Promise<Explanation | null> {
  let owner: Owner | null = await engine.store.readSession(key);
  const [last] = await engine.store.listTurns({ key, limit: 1 });
  const { surface = "node", model = null } = last?.request ?? {};
  try {
    if (run !== null && (isNodes || owner === null))
      owner = (await nodeAgent(engine, run, key)) ?? owner;
    if (owner === null) return null;
    const { agent } = owner;
    const folder = last?.request.folder ?? owner.folder ?? null;
    const asked = { key, agent, surface, folder, model, continuity: "resume" } as const;
    return await explain(engine, asked, { setup: owner.setup ?? last?.request ?? {} });
  } catch (error) {
    if (owner === null) throw error;
    const { agent, provider } = owner;
    const decision = {
      outcome: "refuse",
      reason: errorView(error).code,
      verdicts: [],
      surface,
      mode: "resume",
      startupPrompt: "skip_intro",
      runFolder: "run",
      notices: [],
      error: errorView(error),
    } as const;
    return {
      key,
      agent,
      provider,
      decision: { ...decision, verdicts: [], notices: [] },
      heldBy: null,
    };
  }
}

/** The agent of the node that used the session last, even if the session was purged. */
async function nodeAgent(engine: Engine, run: string, key: string): Promise<Owner | null> {
  const { state, loaded } = await readRunState(engine, run);
  const last = [...state.executions.values()].findLast(
    (execution) => execution.type === "agent" && execution.session === key,
  );
  const node = last && nodeIndex(loaded.graph, last.node).node;
  if (last === undefined || node?.type !== "agent") return null;
  const { agent, setup } = await nodeTurn(engine, node, { key, folder: state.folder });
  const { name, provider } = agent;
  const { mode } = node;
  const turn = { ...setup, mode, origin: { run, execution: last.id } };
  return { agent: name, provider, folder: state.folder, setup: turn };
}
