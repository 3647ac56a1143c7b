/** Finds an inbox item (a gate's item or a turn with a question) by its id or the beginning of one. */

import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import type { Turn } from "@reprise/core/session/turn";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Engine } from "../engine.ts";

export type FoundItem = { readonly item: InboxItem } | { readonly turn: Turn };

export async function findItem(engine: Engine, wanted: string): Promise<FoundItem> {
  const { store } = engine;
  const item = await store.readItem(wanted);
  if (item) return { item };
  const turn = await store.readTurn(wanted);
  if (turn?.asked) return { turn };
  const found = wanted.length >= 4 ? await withPrefix(engine, wanted.toLowerCase()) : [];
  const [first, another] = found;
  if (another)
    throw new UsageError(
      "ambiguous-item",
      `Several inbox items begin with ${wanted}.`,
      "Give more of the id.",
    );
  if (first) return first;
  throw new NotFoundError(
    "no-item",
    `There is no inbox item ${wanted}.`,
    `${verb("inbox.list")} lists what waits for an answer.`,
  );
}

async function withPrefix({ store }: Engine, prefix: string): Promise<FoundItem[]> {
  const items = await Promise.all(
    (await store.findItems(prefix, 2)).map((id) => store.readItem(id)),
  );
  const turns = await Promise.all(
    (await store.findQuestions(prefix, 2)).map((id) => store.readTurn(id)),
  );
  return [
    ...items.flatMap((item) => (item ? [{ item }] : [])),
    ...turns.flatMap((turn) => (turn ? [{ turn }] : [])),
  ];
}
