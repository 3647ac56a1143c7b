/** `limits`: the accounts whose limit is used up, and how many turns wait for its reset. */

import type { LimitView } from "@reprise/core/api/reprise";
import type { Turn } from "@reprise/core/session/turn";
import type { Engine } from "./engine.ts";
import { openTurns } from "./turn/acquire.ts";
import { waitsUntil } from "./turn/quota.ts";

export async function listLimits({ store, now }: Engine): Promise<LimitView[]> {
  const limits = await store.listLimits({ at: now() });
  if (limits.length === 0) return [];
  const waiting: Turn[] = [];
  for await (const turn of openTurns(store)) if (waitsUntil(turn) !== null) waiting.push(turn);
  return limits.map(({ provider, agent, turn, until, at }) => ({
    ...{ provider, agent, turn, until, foundAt: at },
    // A turn that waits does not record the account; two of one provider are rarely reset at the same moment.
    waiting: waiting.filter((each) => each.provider === provider && waitsUntil(each) === until)
      .length,
  }));
}
