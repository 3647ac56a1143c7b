/** `inbox`: everything that waits for a person, oldest first. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "../engine.ts";
import { findRun } from "../run/find-run.ts";
import { itemView, questionView } from "./views.ts";

const many = 1000;

export async function listInbox(
  engine: Engine,
  query: { run?: string; all?: boolean; limit?: number } = {},
): Promise<InboxItemView[]> {
  const { all = false, limit = many } = query;
  const run = query.run === undefined ? undefined : (await findRun(engine, query.run)).id;
  const items = await engine.store.listItems({ ...(run ? { run } : {}), all, limit });
  const turns = (await waitingTurns(engine)).filter(
    ({ request }) => run === undefined || request.origin?.run === run,
  );
  const questions = await Promise.all(turns.map((turn) => questionView(engine, turn)));
  return [...items.map(itemView), ...questions]
    .sort((one, other) => one.openedAt - other.openedAt)
    .slice(0, limit);
}

export async function waitingTurns({ store }: Engine): Promise<Turn[]> {
  return (await store.listOpenTurns()).filter(({ status }) => status === "waiting");
}
