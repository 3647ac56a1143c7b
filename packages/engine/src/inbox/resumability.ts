/** Whether the sessions that an item holds could be resumed now: what a person should know before answering. */

import type { Explanation, InboxItemDetail } from "@reprise/core/api/reprise";
import { errorView } from "@reprise/core/errors/errors";
import type { Engine } from "../engine.ts";
import { explain } from "../session/explain.ts";
import { findItem } from "./find-item.ts";
import { itemView, questionView } from "./views.ts";

export async function showItem(engine: Engine, wanted: string): Promise<InboxItemDetail> {
  const found = await findItem(engine, wanted);
  const view = "item" in found ? itemView(found.item) : await questionView(engine, found.turn);
  const explanations: Explanation[] = [];
  for (const key of view.sessions) {
    const explanation = await explainNow(engine, key);
    if (explanation) explanations.push(explanation);
  }
  return { ...view, resumability: explanations };
}

/** As its last turn was sent, since the next one of the run will be sent like it. */
async function explainNow(engine: Engine, key: string): Promise<Explanation | null> {
  const session = await engine.store.readSession(key);
  if (session === null) return null;
  const { agent, provider } = session;
  const [last] = await engine.store.listTurns({ key, limit: 1 });
  const { surface = "node", folder = null, model = null } = last?.request ?? {};
  try {
    return await explain(engine, { key, agent, surface, folder, model, continuity: "resume" });
  } catch (error) {
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
