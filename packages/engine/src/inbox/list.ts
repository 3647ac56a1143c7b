/** `inbox`: lists what waits for a person, oldest first, or everything that ever did, newest first. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import type { Engine } from "../engine.ts";
import { findRun } from "../run/find-run.ts";
import { findItem } from "./find-item.ts";
import { itemView, questionView } from "./views.ts";

const defaultLimit = 1000;

export async function listInbox(
  engine: Engine,
  query: { run?: string; all?: boolean; after?: string; limit?: number } = {},
): Promise<InboxItemView[]> {
  const { all = false, limit = defaultLimit } = query;
  const run = query.run === undefined ? undefined : (await findRun(engine, query.run)).id;
  const after = query.after === undefined ? undefined : await placeOf(engine, query.after);
  const page = { ...(run ? { run } : {}), ...(after ? { after } : {}), all, limit };
  const items = await engine.store.listItems(page);
  const turns = await engine.store.listQuestions(page);
  const questions = await Promise.all(turns.map((turn) => questionView(engine, turn)));
  const order = all ? newestFirst : oldestFirst;
  return [...items.map(itemView), ...questions].sort(order).slice(0, limit);
}

export async function countInbox(
  engine: Engine,
  query: { run?: string; all?: boolean } = {},
): Promise<number> {
  const run = query.run === undefined ? {} : { run: (await findRun(engine, query.run)).id };
  return engine.store.countInbox({ ...query, ...run });
}

type Position = Pick<InboxItemView, "openedAt" | "id">;

async function placeOf(engine: Engine, wanted: string): Promise<Position> {
  const found = await findItem(engine, wanted);
  return "item" in found ? found.item : questionView(engine, found.turn);
}

function oldestFirst(one: Position, other: Position): number {
  return one.openedAt - other.openedAt || (one.id < other.id ? -1 : Number(one.id > other.id));
}

function newestFirst(one: Position, other: Position): number {
  return oldestFirst(other, one);
}
